const slotCount = 16_384

/** The hash slot of a key by the Redis Cluster specification: CRC-16/XMODEM of the part in braces. */
export function slotOf(key: string): number {
  const [, tag = ""] = /\{(.+?)\}/.exec(key) ?? []
  return crc16(tag === "" ? key : tag) % slotCount
}

export function crc16(text: string): number {
  const shifted = (crc: number) => (crc & 0x8000 ? (crc << 1) ^ 0x1021 : crc << 1) & 0xffff
  const bytes = [...new TextEncoder().encode(text)]
  return bytes.reduce((crc, byte) => Array.from({ length: 8 }).reduce<number>(shifted, crc ^ (byte << 8)), 0)
}
