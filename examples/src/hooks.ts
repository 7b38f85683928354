/**
 * Hooks: the CLI asks the host before and after things happen. Each gets the input of its event, and answers what that
 * event allows. A failing hook does not stop the CLI: what must not happen without consent belongs in a policy.
 */
import * as Hook from "@claude-duplex/session/Hook"
import * as HookAnswer from "@claude-duplex/session/HookAnswer"
import * as Session from "@claude-duplex/session/Session"
import { Console, Effect, Layer } from "effect"
import { recorded } from "./support/fakes.js"

const Conversation = Session.layer({
  hooks: [
    Hook.on("UserPromptSubmit", ({ prompt }) =>
      Effect.as(
        Console.log(`prompt   ${prompt}`),
        HookAnswer.addContext("UserPromptSubmit", "It is Friday.")
      )),
    Hook.on("PreToolUse", ({ tool_input, tool_name }) =>
      Effect.as(
        Console.log(`before   ${tool_name} ${JSON.stringify(tool_input)}`),
        HookAnswer.allowTool("harmless")
      ), { matcher: "Bash", timeout: "5 seconds", onFailure: "block" }),
    // The CLI does not wait for this one.
    Hook.background("PostToolUse", ({ tool_name }) => Console.log(`after    ${tool_name}`)),
    Hook.on(
      "Stop",
      ({ last_assistant_message: last }) => Effect.as(Console.log(`stopping ${last ?? ""}`), HookAnswer.proceed)
    )
  ]
}).pipe(Layer.provide(recorded("initialize-hooks")))

const program = Effect.flatMap(Session.Session, (session) => session.send("say hooked"))

console.log(`result   ${(await Effect.runPromise(Effect.provide(program, Conversation))).text}`)
