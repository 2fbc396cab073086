/** A parser of untrusted input, with the properties that must hold. */
export interface FuzzTarget {
  /** In kebab case. Also the name of the folder with its findings. */
  readonly name: string
  /** Valid inputs to start from. Created for each turn, since some expire. */
  seeds(): Promise<readonly Uint8Array[]> | readonly Uint8Array[]
  /** Words of the input format. */
  readonly dictionary: readonly string[]
  /** Bytes. Default: 4096. */
  readonly maxLength?: number
  /** Allowed steps per byte and per input. A step is a block of code that ran. More indicate superlinear work. */
  readonly work: { readonly perByte: number; readonly perInput: number }
  /** Throws if a property is violated. Rejecting the input is fine. */
  check(input: Uint8Array): Promise<void> | void
}

/** An input that violated a property. */
export interface Finding {
  readonly target: string
  readonly input: Uint8Array
  readonly error: Error
}

/** Latin-1, as in headers. */
export function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1")
}

export function fromLatin1(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, "latin1"))
}

/** UTF-8; invalid bytes become U+FFFD. */
export function toText(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
}

export function fromText(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

/** @throws Error unless the property holds */
export function promise(holds: boolean, words: string): asserts holds {
  if (!holds) throw new Error(`Property violated: ${words}`)
}
