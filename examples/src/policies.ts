/**
 * Rules instead of a person: the first one that has an opinion decides, and what nobody allows is denied. A pattern that
 * allows must cover the whole text; one that denies, a part of it.
 */
import * as PermissionPolicy from "@claude-duplex/session/PermissionPolicy"
import * as Session from "@claude-duplex/session/Session"
import * as Script from "@claude-duplex/transport-mock/Script"
import { Console, Effect, Layer } from "effect"
import { beginTurn, endTurn, scripted } from "./support/fakes.js"

const policy = PermissionPolicy.firstMatch(
  PermissionPolicy.denyWhen({ tool: "Read", input: { file_path: /\.env/ }, message: "Secrets stay where they are." }),
  PermissionPolicy.allowTools("Read", "Grep"),
  PermissionPolicy.allowWhen({ tool: "Bash", input: { command: /git (status|diff)/ } })
)

const decide = PermissionPolicy.toHandler(policy)

/** What the model wants to do, one thing after the other. */
const wishes = [
  ["Read", { file_path: "README.md" }],
  ["Read", { file_path: "/srv/.env.production" }],
  ["Bash", { command: "git status" }],
  ["Bash", { command: "git status; rm -rf ~" }]
] as const

const claude = scripted(
  ...beginTurn,
  ...wishes.flatMap(([tool_name, input], index) => [
    Script.reply({
      type: "control_request",
      request_id: `wish ${index}`,
      request: { subtype: "can_use_tool", tool_name, input }
    }),
    Script.expect({ type: "control_response", response: { request_id: `wish ${index}` } })
  ]),
  endTurn("I have tried everything.")
)

const Conversation = Session.layer({
  onPermission: (request) =>
    Effect.tap(
      decide(request),
      (decision) => Console.log(`${decision._tag.padEnd(5)} ${request.toolName} ${JSON.stringify(request.input)}`)
    )
}).pipe(Layer.provide(claude))

const program = Effect.flatMap(Session.Session, (session) => session.send("try everything"))

console.log((await Effect.runPromise(Effect.provide(program, Conversation))).text)
