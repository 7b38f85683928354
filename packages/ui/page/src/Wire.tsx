/** The wire, line by line in both directions, and the line that is looked at, whole. */
import { FixedList } from "./FixedList.js"
import { line, look, row, transcript, version } from "./state.js"

/** As a person reads it; what is not JSON stays what it is. */
const pretty = (text: string): string => {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export const seconds = (millis: number): string => `${(millis / 1_000).toFixed(3)} s`

export const Wire = () => {
  // Read, so that this is drawn again when it changes.
  void version.value
  const { rows } = transcript.value
  return (
    <section class="wire" aria-label="The wire">
      <FixedList
        label={`${rows.length} lines`}
        count={rows.length}
        active={row.value}
        onActive={(index) => void look(index)}
        draw={(index) => {
          const entry = rows[index]
          if (entry === undefined) return null
          return (
            <>
              <span class="number">{index}</span>
              <span class="time">{seconds(entry.t)}</span>
              <span class={`direction ${entry.dir}`}>{entry.dir === "host" ? "→ cli" : "← cli"}</span>
              <span class={entry.problem === undefined ? "label" : "label wrong"}>{entry.label}</span>
              <span class="size">{entry.bytes}</span>
            </>
          )
        }}
      />
      <pre class="line" tabIndex={0} aria-label="The line that is looked at">
        {row.value === undefined ? "Choose a line to see all of it." : pretty(line.value)}
      </pre>
    </section>
  )
}
