import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

const packages = fileURLToPath(new URL("../../", import.meta.url))

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // The token is part of the address, so everything is asked for by where the page is.
  base: "./",
  // The sources, so that the page needs no build of the packages and is never older than they are.
  resolve: {
    alias: [{ find: /^@claude-duplex\/([^/]+)\/(.+)$/, replacement: `${packages}$1/src/$2.ts` }]
  },
  build: {
    outDir: fileURLToPath(new URL("../dist-page", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // Inlined, a small file would be an address that the page's policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }
  }
})
