/** Draws the page, and begins to listen. */
import { render } from "preact"
import { App } from "./App.js"
import { begin } from "./state.js"

const root = document.getElementById("page")
if (root !== null) render(<App />, root)
begin()
