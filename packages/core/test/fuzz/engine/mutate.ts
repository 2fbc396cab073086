import type { Random } from "./random.js"
import { fromText } from "./target.js"

/** The sources of mutations. */
export interface Material {
  readonly dictionary: readonly string[]
  readonly corpus: readonly Uint8Array[]
  readonly maxLength: number
}

type Mutation = (input: Uint8Array, random: Random, material: Material) => Uint8Array

/** Bytes with a meaning in common formats. */
const edges = [0, 1, 9, 10, 13, 0x20, 0x22, 0x25, 0x2e, 0x2f, 0x3b, 0x3d, 0x5c, 0x7f, 0x80, 0xbf, 0xc3, 0xff] as const

function splice(input: Uint8Array, at: number, removed: number, inserted: Uint8Array): Uint8Array {
  const result = new Uint8Array(input.length - removed + inserted.length)
  result.set(input.subarray(0, at))
  result.set(inserted, at)
  result.set(input.subarray(at + removed), at + inserted.length)
  return result
}

/** A random piece of an input; empty if the input is empty. */
function takePiece(input: Uint8Array, random: Random): { readonly at: number; readonly length: number } {
  if (input.length === 0) return { at: 0, length: 0 }
  const at = random.below(input.length)
  const longest = Math.min(input.length - at, random.below(4) === 0 ? input.length : 16)
  return { at, length: 1 + random.below(longest) }
}

/** One of the edges, a printable ASCII character, or any byte. */
function pickByte(random: Random): number {
  const kind = random.below(3)
  if (kind === 0) return random.pick(edges)
  return kind === 1 ? 0x20 + random.below(0x5f) : random.below(0x100)
}

const flipBit: Mutation = (input, random) => {
  if (input.length === 0) return input
  const result = input.slice()
  const at = random.below(input.length)
  result[at] = (input[at] ?? 0) ^ (1 << random.below(8))
  return result
}

const setByte: Mutation = (input, random) => {
  if (input.length === 0) return input
  const result = input.slice()
  result[random.below(input.length)] = pickByte(random)
  return result
}

const insertByte: Mutation = (input, random) => {
  return splice(input, random.below(input.length + 1), 0, Uint8Array.of(pickByte(random)))
}

const removePiece: Mutation = (input, random) => {
  const { at, length } = takePiece(input, random)
  return splice(input, at, length, new Uint8Array())
}

const repeatPiece: Mutation = (input, random, { maxLength }) => {
  const { at, length } = takePiece(input, random)
  if (length === 0) return input
  const times = random.below(8) === 0 ? Math.ceil(maxLength / length) : 1 + random.below(8)
  const repeated = new Uint8Array(Math.min(length * times, maxLength))
  for (let index = 0; index < repeated.length; index++) repeated[index] = input[at + (index % length)] ?? 0
  return splice(input, at, 0, repeated)
}

const movePiece: Mutation = (input, random) => {
  const { at, length } = takePiece(input, random)
  const piece = input.slice(at, at + length)
  const rest = splice(input, at, length, new Uint8Array())
  return splice(rest, random.below(rest.length + 1), 0, piece)
}

const insertWord: Mutation = (input, random, { dictionary }) => {
  const [first, ...others] = dictionary
  if (first === undefined) return input
  const word = fromText(random.pick([first, ...others]))
  const at = random.below(input.length + 1)
  const removed = random.below(2) === 0 ? Math.min(word.length, input.length - at) : 0
  return splice(input, at, removed, word)
}

const takeFromOther: Mutation = (input, random, { corpus }) => {
  const [first, ...others] = corpus
  if (first === undefined) return input
  const other = random.pick([first, ...others])
  const { at, length } = takePiece(other, random)
  const place = takePiece(input, random)
  return splice(input, place.at, random.below(2) * place.length, other.slice(at, at + length))
}

const mutations = [
  flipBit,
  setByte,
  insertByte,
  removePiece,
  repeatPiece,
  movePiece,
  insertWord,
  insertWord,
  takeFromOther,
] as const

/** An input with one to six mutations, cut to the allowed length. */
export function mutate(input: Uint8Array, random: Random, material: Material): Uint8Array {
  let result = input
  const times = 1 + random.below(6)
  for (let time = 0; time < times; time++) result = random.pick(mutations)(result, random, material)
  return result.slice(0, material.maxLength)
}
