import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"

const root = fileURLToPath(new URL(".", import.meta.url))

export default defineConfig({
  test: {
    include: [
      "test/*.test.ts",
      "packages/*/test/**/*.test.ts",
      "drift/test/**/*.test.ts",
      "benchmarks/test/**/*.test.ts",
      "examples/test/**/*.test.ts"
    ],
    testTimeout: 60_000
  },
  resolve: {
    // Tests see the sources, not the build: no test passes on yesterday's output.
    alias: [{ find: /^@claude-duplex\/([^/]+)\/(.+)$/, replacement: `${root}packages/$1/src/$2.ts` }]
  }
})
