import { fileURLToPath } from "node:url"

/** Where the fake is: a `.mjs`, so it runs under this node. */
export const fakeClaude = fileURLToPath(new URL("../../../transport-mock/bin/fake-claude.mjs", import.meta.url))
