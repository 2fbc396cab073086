/** How much one request may bring, and how much of it a browser is given to keep. All whole numbers. */
export interface RequestLimits {
  /** Bytes of a body, before it is parsed; more is answered with 413. 1,024 to 16 MiB. Default: 64 KiB. */
  readonly bodyBytes: number
  /**
   * Bytes of all header fields together, names included; where a session is read, of its cookies alone. More is
   * answered with
   * 431. Node has a limit of its own, 16 KiB unless told otherwise, which comes first. At least 4,096 for each of
   * `sessionChunks`, at most 1 MiB. Default: 16 KiB more than that least.
   */
  readonly headerBytes: number
  /** Characters of the address, its query included; more is answered with 414. 1,024 to 1 MiB. Default: 16 KiB. */
  readonly urlLength: number
  /** Pairs in the query; more are answered with 400. 10 to 10,000. Default: 100. */
  readonly queryPairs: number
  /** Levels of nesting in JSON; more are answered with 400. 4 to 1,000. Default: 32. */
  readonly jsonDepth: number
  /**
   * Cookies of 3,936 characters that one session may take, 1 to 20. A sign-in whose session needs more fails; a request
   * that brings more has no session. Default: 20.
   */
  readonly sessionChunks: number
  /** Sign-ins that one browser may have begun and not completed; the oldest gives way. 1 to 20. Default: 5. */
  readonly flows: number
  /** The same for passkeys. 1 to 10. Default: 3. */
  readonly passkeyChallenges: number
}
