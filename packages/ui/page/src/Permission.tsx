/**
 * A tool wants to run: a person decides, with the mouse or with a key. It takes the focus unless somebody is writing, and
 * none of its buttons has it then: a key that was meant for something else must not allow anything.
 */
import type { Prompt } from "@claude-duplex/ui/Api"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { decide } from "./state.js"

const parse = (text: string): { readonly [name: string]: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    // Checked: an object, and no list.
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as { readonly [name: string]: unknown }
      : undefined
  } catch {
    return undefined
  }
}

export const Permission = ({ question }: { readonly question: Prompt }) => {
  const panel = useRef<HTMLElement>(null)
  const [edited, edit] = useState<string | undefined>(undefined)
  const input = edited === undefined ? undefined : parse(edited)
  const isBroken = edited !== undefined && input === undefined

  useLayoutEffect(() => {
    const focused = document.activeElement
    const isWriting = focused instanceof HTMLTextAreaElement && focused.value !== ""
    if (!isWriting) panel.current?.focus()
  }, [question.id])

  const allow = (always: boolean) =>
    isBroken
      ? undefined
      : void decide(question, { _tag: "Allow", always, ...(input === undefined ? {} : { updatedInput: input }) })
  const deny = () => void decide(question, { _tag: "Deny", message: "The person at the page said no." })
  const change = () => edit(JSON.stringify(question.input, null, 2))

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== panel.current || event.ctrlKey || event.metaKey || event.altKey) return
    const keys: Record<string, () => void> = {
      y: () => allow(false),
      a: () => question.suggestions.length > 0 ? allow(true) : undefined,
      n: deny,
      e: change
    }
    const act = keys[event.key]
    if (act === undefined) return
    event.preventDefault()
    act()
  }

  return (
    <section ref={panel} class="permission" tabIndex={-1} aria-labelledby="permission-title" onKeyDown={onKeyDown}>
      <h2 id="permission-title">{question.toolName} wants to run</h2>
      {edited === undefined
        ? <pre tabIndex={0} aria-label="Its input">{JSON.stringify(question.input, null, 2)}</pre>
        : (
          <textarea
            aria-label="Its input, as JSON"
            aria-invalid={isBroken}
            rows={6}
            value={edited}
            ref={(element) => element?.focus()}
            onInput={(event) => edit(event.currentTarget.value)}
          />
        )}
      {isBroken ? <p class="wrong" role="alert">This is no JSON object.</p> : null}
      <div class="buttons">
        <button type="button" disabled={isBroken} onClick={() => allow(false)}>
          Allow <kbd>y</kbd>
        </button>
        {question.suggestions.length === 0
          ? null
          : (
            <button type="button" disabled={isBroken} onClick={() => allow(true)}>
              Always <kbd>a</kbd>
            </button>
          )}
        <button type="button" onClick={deny}>
          Deny <kbd>n</kbd>
        </button>
        {edited === undefined
          ? (
            <button type="button" onClick={change}>
              Edit the input <kbd>e</kbd>
            </button>
          )
          : null}
      </div>
    </section>
  )
}
