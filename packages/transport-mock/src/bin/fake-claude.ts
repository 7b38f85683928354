/**
 * `fake-claude`: a script or a recording as an executable that a host of any language starts in place of `claude`. What its
 * arguments mean is in `FakeClaude`.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as Effect from "effect/Effect"
import * as FakeClaudeProcess from "../FakeClaudeProcess.js"

Effect.runFork(Effect.provide(FakeClaudeProcess.run(process.argv.slice(2), process.env), NodeFileSystem.layer))
