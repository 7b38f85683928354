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
      "examples/test/**/*.test.ts",
      "reliability/test/**/*.test.ts"
    ],
    setupFiles: ["test/setup/properties.ts"],
    testTimeout: 60_000
  },
  resolve: {
    // Tests see the sources, not the build: no test passes on yesterday's output.
    alias: [
      { find: /^@claude-duplex\/benchmarks\/(.+)$/, replacement: `${root}benchmarks/src/$1.ts` },
      { find: /^@claude-duplex\/([^/]+)\/(.+)$/, replacement: `${root}packages/$1/src/$2.ts` }
    ]
  }
})
