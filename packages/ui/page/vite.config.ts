import { fileURLToPath } from "node:url"
import { defineConfig } from "vite"

export default defineConfig({
  root: fileURLToPath(new URL(".", import.meta.url)),
  // The token is part of the address, so everything is asked for by where the page is.
  base: "./",
  build: {
    outDir: fileURLToPath(new URL("../dist-page", import.meta.url)),
    emptyOutDir: true,
    target: "es2022",
    // Inlined, a small file would be an address that the page's policy forbids.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false }
  }
})
