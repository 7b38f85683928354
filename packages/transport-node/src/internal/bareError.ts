/**
 * Errors of Node's without what they quote. One of `spawn` has all arguments in it, one about a bad value has that value, and
 * one of `execFile` what the program said; each of these may be a secret.
 */

/** What is left: which call failed, and why. */
export class BareError extends Error {
  override readonly name = "SystemError"
  readonly code: string

  constructor(code: string, syscall: string | undefined) {
    super(syscall === undefined ? code : `${syscall} ${code}`)
    this.code = code
  }
}

/** The code of an error of Node's, and the system call if there was one. */
export const bare = (error: unknown): BareError => {
  const text = (name: "code" | "syscall"): string | undefined => {
    const value: unknown = error instanceof Error ? Reflect.get(error, name) : undefined
    // Of a program that ran, `code` is the number that it exited with.
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined
  }
  // Of the call, the word alone: Node writes the path of the program behind it.
  return new BareError(text("code") ?? "UNKNOWN", text("syscall")?.split(" ")[0])
}
