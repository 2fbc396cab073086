/** Who a mail is from. */
export interface Sender {
  readonly email: string
  readonly name?: string
}

/**
 * Takes `Name <address>`, or a plain address, apart.
 * @throws TypeError when there is no address.
 */
export function parseSender(from: string): Sender {
  const [, name = "", address] = /^([^<>]*)<([^<>]+)>\s*$/.exec(from) ?? []
  const email = (address ?? from).trim()
  if (!/^[^\s@<>,;]+@[^\s@<>,;/?#]+$/.test(email)) {
    throw new TypeError('`from` must be an address, or "Name <address>"')
  }
  const plainName = name.trim().replace(/^"(.*)"$/, "$1")
  return plainName === "" ? { email } : { email, name: plainName }
}
