import type { Component, ComponentConstructorOptions, SvelteComponent } from "svelte"
import type { FormProps } from "./form-props.js"

type Nothing = Record<string, never>

/**
 * A component whose places are filled by snippets, and by slots on pages that were written before there were any: type
 * checkers know slots of classes alone.
 */
export type SlottedComponent<Props extends FormProps, Slot extends string> = Component<Props> &
  (new (
    options: ComponentConstructorOptions<Props>,
  ) => SvelteComponent<Props, Nothing, Record<Slot, Nothing>>)
