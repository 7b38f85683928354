import { ControlError, ControlReason } from "@claude-duplex/protocol/ControlError"
import { DecodeError, DecodeReason } from "@claude-duplex/protocol/DecodeError"
import { EncodeError } from "@claude-duplex/protocol/EncodeError"
import {
  MessageCancelled,
  OutboxFull,
  PermissionNotPending,
  SessionBusy,
  SessionClosed
} from "@claude-duplex/protocol/SessionError"
import { TransportError } from "@claude-duplex/protocol/Transport"
import * as TransportExit from "@claude-duplex/protocol/TransportExit"
import { assert, describe, it } from "@effect/vitest"
import { Redacted, Schema } from "effect"
import { inspect } from "node:util"
import * as v8 from "node:v8"
import { runInNewContext } from "node:vm"

const open = {
  stderr: "error: unknown option",
  lastResult: { subtype: "success", isError: true, text: "API Error: 401" },
  pending: { messages: ["m1"], held: [], asked: [{ id: "r1", subtype: "mcp_status" }], asking: [] }
}

const exit = { _tag: "Exited", code: 1, ...open } as const

describe("errors", () => {
  it("survive a trip through JSON", () => {
    const trip = <A, I>(schema: Schema.Schema<A, I>, value: A) =>
      assert.deepStrictEqual(
        Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(Schema.encodeSync(schema)(value)))),
        value
      )
    trip(DecodeError, DecodeError.of("InvalidJson", 3, "log"))
    trip(EncodeError, new EncodeError({ reason: "InvalidFrame", detail: "message: is missing" }))
    trip(TransportError, new TransportError({ reason: "NotFound", detail: "There is no `claude` in PATH." }))
    trip(ControlError, new ControlError({ reason: "Refused", subtype: "set_color", detail: "no", code: "x" }))
    trip(ControlError, new ControlError({ reason: "Closed", subtype: "set_color", exit }))
    trip(SessionClosed, new SessionClosed({ exit, unsent: true }))
    trip(SessionBusy, new SessionBusy())
    trip(MessageCancelled, new MessageCancelled({ id: "m1" }))
    trip(OutboxFull, new OutboxFull({ id: "m1", waitingBytes: 70, maxBytes: 64 }))
    trip(PermissionNotPending, new PermissionNotPending({ id: "p7" }))
    trip(SessionClosed, new SessionClosed({ exit: { ...TransportExit.failed("x"), ...open } }))
    trip(SessionClosed, new SessionClosed({ exit: { ...TransportExit.failed("x", "", "OutboxFull"), ...open } }))
  })

  it("tell a person what happened", () => {
    for (const reason of DecodeReason.literals) assert.include(DecodeError.of(reason, 7, "x").message, "ine 7")
    assert.include(new SessionBusy().message, "A turn is running")
    assert.include(new MessageCancelled({ id: "m1" }).message, "m1")
    for (const told of ["not sent", "70", "64", "close the session"]) {
      assert.include(new OutboxFull({ id: "m1", waitingBytes: 70, maxBytes: 64 }).message, told)
    }
    for (const cause of ["code 1", "API Error: 401", "unknown option"]) {
      assert.include(new SessionClosed({ exit }).message, cause)
    }
    assert.include(new SessionClosed({ exit, unsent: true }).message, "not sent")
    assert.notInclude(new SessionClosed({ exit: { ...exit, code: 0 } }).message, "401")
    assert.include(new PermissionNotPending({ id: "p7" }).message, "p7")
    assert.include(
      new SessionClosed({ exit: { _tag: "Signaled", signal: "SIGKILL", ...open } }).message,
      "SIGKILL"
    )
    const lost = new SessionClosed({
      exit: { ...TransportExit.connectionLost(new Error("read ECONNRESET")), ...open }
    })
    assert.include(lost.message, "the connection to the CLI was lost: read ECONNRESET. ")
    const failed = new SessionClosed({ exit: { ...TransportExit.failed({ odd: 1 }), ...open } })
    assert.include(failed.message, `communication with the CLI failed: {\n  "odd": 1\n}. `)
    assert.include(new ControlError({ reason: "Refused", subtype: "set_color", detail: "no" }).message, "no")
    assert.include(
      new ControlError({ reason: "Refused", subtype: "set_color", code: "unsupported_request" }).message,
      "does not have the request"
    )
  })

  it("tell a request that was refused, one that was not sent, and one that was carried out", () => {
    const error = (reason: ControlReason, fields?: { readonly code?: string; readonly detail?: string }) =>
      new ControlError({ reason, subtype: "set_color", ...fields })
    for (const reason of ControlReason.literals) assert.include(error(reason).message, "set_color")
    assert.include(error("Unsupported").message, "was not sent")
    assert.include(error("InvalidResponse", { detail: "at color" }).message, "carried out set_color")
    assert.isTrue(error("Unsupported").isUnsupported)
    assert.isTrue(error("Refused", { code: "unsupported_request" }).isUnsupported)
    assert.isFalse(error("Refused", { code: "x" }).isUnsupported)
    assert.isFalse(error("InvalidResponse").isUnsupported)
  })

  it("do not show the line unless asked", () => {
    const error = DecodeError.of("InvalidJson", 1, `{"key":"sk-secret"`)
    for (
      const shown of [
        String(error),
        error.message,
        inspect(error, { depth: 9 }),
        JSON.stringify(error),
        error.toString()
      ]
    ) {
      assert.notInclude(shown, "sk-secret")
    }
    assert.include(Redacted.value(error.text), "sk-secret")
  })

  it("do not keep the lines alive that they report", () => {
    v8.setFlagsFromString("--expose-gc")
    const collect: unknown = runInNewContext("gc")
    if (typeof collect !== "function") return assert.fail("there is no gc")
    const heap = () => {
      collect()
      return process.memoryUsage().heapUsed / 1e6
    }
    const before = heap()
    const errors = Array.from(
      { length: 100 },
      (_, i) => DecodeError.of("InvalidJson", i, `${i}${"x".repeat(1_000_000)}`)
    )
    assert.isBelow(heap() - before, 10)
    assert.strictEqual(errors.map(({ text }) => Redacted.value(text).length).join(), Array(100).fill(1_024).join())
  })
})
