/**
 * Takes the machine out of what was recorded: its paths, the port of the API, its user. A recording looks as if it had been
 * made by `dev`, in `/home/dev/project`, as those in `recordings` do. Owns what stands for what, and that nothing is left.
 *
 * Beside that, the CLI's prose is replaced by `(text)`: descriptions that are longer than a line, and texts that are longer
 * than a paragraph. We record what frames look like, not what the CLI's authors wrote.
 */
import type { Direction } from "@claude-duplex/transport-mock/Recording"
import { homedir, tmpdir, userInfo } from "node:os"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import * as World from "./World.js"

const repository = fileURLToPath(new URL("../..", import.meta.url)).replace(/[/\\]$/, "")

/** Folders of the machine, and what stands for each. The deepest come first. */
const foldersOf = (world: World.World): ReadonlyArray<readonly [real: string, recorded: string]> => [
  [world.cwd, "/home/dev/project"],
  [world.home, "/home/dev"],
  [dirname(world.cwd), "/tmp"],
  [World.cli.executable, "/usr/local/bin/claude"],
  [repository, "/opt/claude-duplex"],
  [homedir(), "/home/dev"],
  ...(tmpdir() === "/tmp" ? [] : [[tmpdir(), "/tmp"] as const])
]

/** A path as CLIs spell it in the name of a folder. */
const dashed = (path: string): string => path.replaceAll(/[^a-zA-Z0-9]/g, "-")

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, String.raw`\$&`)

/** A folder, as itself and as the beginning of a longer path; and not as a part of another name. */
const asPath = (path: string): RegExp => new RegExp(String.raw`(?<![\w.])${escaped(path)}(?![\w-])`, "g")

/** What is recorded in place of a line, for a CLI in this world. Fails if something of the machine would be left. */
export const anonymous = (world: World.World): (line: string, dir: Direction) => string => {
  const user = userInfo().username
  const replacements: ReadonlyArray<readonly [RegExp, string]> = [
    ...foldersOf(world).flatMap(([real, recorded]): ReadonlyArray<readonly [RegExp, string]> => [
      // A line is JSON, in which a backslash is two.
      [asPath(JSON.stringify(real).slice(1, -1)), recorded],
      [new RegExp(String.raw`(?<!\w)${escaped(dashed(real))}(?!\w)`, "g"), dashed(recorded)]
    ]),
    [new RegExp(String.raw`(127\.0\.0\.1|localhost):${world.api.port}\b`, "g"), "$1:8080"],
    [/\/tmp\/claude-\d+\b/g, "/tmp/claude-1000"],
    [/\/tmp\/cc-socks\/\d+\.sock/g, "/tmp/cc-socks/1.sock"],
    [/"pid":\d+/g, `"pid":1`]
  ]
  const forbidden = [dirname(world.cwd), repository, `/home/${user}`, `/Users/${user}`].filter((path) =>
    path !== "/home/dev"
  )
  return (line, dir) => {
    const anonymous = replacements.reduce((text, [real, recorded]) => text.replaceAll(real, recorded), line)
    const left = forbidden.find((path) => anonymous.includes(path))
    if (left !== undefined) throw new Error(`${left} would be left in the recording: ${anonymous.slice(0, 300)}`)
    return dir === "cli" ? withoutProse(anonymous) : anonymous
  }
}

/** Fields that hold prose: of commands, agents, models, tools. */
const described = new Set(["argumentHint", "description", "summary", "whenToUse"])
const longestDescription = 40
const longestText = 300

/** A field with a text, as it stands in JSON. Escapes are counted as they are written: it does not matter here. */
const field = /"(\w+)":"((?:[^"\\]|\\.)*)"/g

const withoutProse = (line: string): string =>
  line.replaceAll(field, (whole, name: string, text: string) => {
    const longest = described.has(name) ? longestDescription : longestText
    return text.length > longest && text.includes(" ") ? `"${name}":"(text)"` : whole
  })
