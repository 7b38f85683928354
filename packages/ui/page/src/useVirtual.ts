/** A list of which only what is in sight is drawn, with rows of any height: `@tanstack/virtual-core` as a hook. */
import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  Virtualizer,
  type VirtualizerOptions
} from "@tanstack/virtual-core"
import type { RefObject } from "preact"
import { useLayoutEffect, useReducer, useState } from "preact/hooks"

interface Options {
  readonly count: number
  readonly box: RefObject<HTMLElement | null>
  /** How high a row is before anybody has seen it. */
  readonly estimate: number
}

export const useVirtual = ({ box, count, estimate }: Options): Virtualizer<HTMLElement, HTMLElement> => {
  const [, redraw] = useReducer((drawn: number) => drawn + 1, 0)
  const options: VirtualizerOptions<HTMLElement, HTMLElement> = {
    count,
    getScrollElement: () => box.current,
    estimateSize: () => estimate,
    overscan: 6,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => redraw(undefined)
  }
  const [list] = useState(() => new Virtualizer(options))
  list.setOptions(options)
  useLayoutEffect(() => list._didMount(), [list])
  useLayoutEffect(() => list._willUpdate())
  return list
}
