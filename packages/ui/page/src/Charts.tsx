/** What was spent, and how full the context was, turn after turn. */
import { transcript, version } from "./state.js"

const width = 600
const height = 160
const margin = 8

/** At most so many points: more cannot be told apart. */
const most = 600

interface Props {
  readonly title: string
  readonly values: ReadonlyArray<number>
  readonly show: (value: number) => string
}

const Chart = ({ show, title, values }: Props) => {
  const step = Math.max(1, Math.ceil(values.length / most))
  const points = values.filter((_, index) => index % step === 0 || index === values.length - 1)
  const top = points.reduce((a, b) => Math.max(a, b), 0)
  const x = (index: number) => margin + index * (width - 2 * margin) / Math.max(1, points.length - 1)
  const y = (value: number) => height - margin - (top === 0 ? 0 : value / top * (height - 2 * margin))
  const last = values.at(-1)
  const said = last === undefined ? "nothing yet" : `${show(last)} now, ${show(top)} at most`
  return (
    <figure>
      <figcaption>{title}: {said}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}, ${values.length} turns: ${said}`}>
        <line class="axis" x1={margin} y1={height - margin} x2={width - margin} y2={height - margin} />
        <polyline class="curve" points={points.map((value, index) => `${x(index)},${y(value)}`).join(" ")} />
        {points.length < 50
          ? points.map((value, index) => <circle key={index} class="point" cx={x(index)} cy={y(value)} r={3} />)
          : null}
      </svg>
    </figure>
  )
}

export const Charts = () => {
  void version.value
  const { turns } = transcript.value
  return (
    <section class="charts" aria-label="Charts" tabIndex={0}>
      <Chart title="Cost" values={turns.flatMap(({ usd }) => usd ?? [])} show={(usd) => `$${usd.toFixed(4)}`} />
      <Chart
        title="Context"
        values={turns.flatMap(({ contextTokens }) => contextTokens ?? [])}
        show={(tokens) => `${tokens.toLocaleString("en")} tokens`}
      />
    </section>
  )
}
