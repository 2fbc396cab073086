import { describe, expect, it } from "vitest"
import { argon2id } from "./argon2id.js"
import { bcrypt, betterAuth, firebaseScrypt, pbkdf2, phpass, scrypt } from "./foreign-formats.js"
import type { PasswordFormat } from "./format.js"

const bytes = (text: string) => new TextEncoder().encode(text)

/** The example of https://github.com/firebase/scrypt. */
const firebase = firebaseScrypt({
  signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
  saltSeparator: "Bw==",
  rounds: 8,
  memoryCost: 14,
})
const firebaseHash =
  "$fbscrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

const phrase = "correct horse battery staple"

/** Hashes that the formats' own implementations made, and their passwords. */
const vectors: readonly (readonly [PasswordFormat, string, string])[] = [
  // The command line tool of RFC 9106's reference implementation: its README.
  [argon2id(), "password", "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"],
  [firebase, "user1password", firebaseHash],
  // The test program of phpass 0.5.
  [phpass(), "test12345", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"],
  // Passlib 1.7.4, its documentation and its own `hash`.
  [pbkdf2(), "password", "$pbkdf2-sha256$6400$.6UI/S.nXIk8jcbdHx3Fhg$98jZicV16ODfEsEZeYPGHU3kbrUrvUEXOPimVSQDD44"],
  [
    pbkdf2(),
    phrase,
    "$pbkdf2-sha512$1000$eM.5V6r1fo9RCmGstRaiVA$xRlF1kaanDmn7fn5cw05bLZyK.Ccu.dRoOB77ik.rpoQ57x8n.ierA8vHedAtZgjp2aRjQQEDaeCgXeZWSN28A",
  ],
  [phpass(), phrase, "$P$9DP7YYVsTjzIQyVjoVXnRPrbEnzAp7/"],
  [scrypt(), phrase, "$scrypt$ln=10,r=8,p=1$NCakFMKYE2LMuVcqhRDCWA$qOj7UljpAP1bZYSyRzO1UUW13bwaVNf4IobqwLEn+hw"],
  // PBKDF2PasswordHasher of Django 3.2.
  [pbkdf2(), phrase, "pbkdf2_sha256$1000$7eGwYMLj4Ne0$y7Jb+YzSfUk/zR4deZdvc6XPdeQkXB2oLJkpa/7LTdw="],
  // hashPassword of better-auth 1.7.25. It normalizes with NFKC.
  [
    betterAuth(),
    phrase,
    "3a184b9c74c44edbcc0fcfce35f71ae0:90786c44ae5641c5608cece5d108ce896d4d605b3cbe4ad9b3e1ff9d701b1feb7a417d6c120e18d334b37ef9b7cf5487e4f59a9650a2d1d9eed8bf287182c801",
  ],
  [
    betterAuth(),
    "ﬁne pässwörd ①",
    "890757a8299c972b18f9c57b3d183c4a:8009820dc10b3c3747dff2901ef15291d306aaa1ba8337b3400dcb4ec94d7f7e876665993ddf9f741a6ec63bb0b37e8b8e29fa6f84ed00ae43d1eef9d68afa44",
  ],
]

const algorithms = [argon2id(), bcrypt(), scrypt(), betterAuth(), firebase, pbkdf2(), phpass()]

describe("a stored password", () => {
  it("PASS-07: a hash in the format of bcrypt is verified as bcryptjs made it, in each of its variants", async () => {
    const { hash } = await import("bcryptjs")
    const made = await hash("pässwörd 🔑", 4)
    for (const stored of [made, made.replace("$2b$", "$2a$"), made.replace("$2b$", "$2y$")]) {
      expect(bcrypt().accepts(stored)).toBe(true)
      expect(await bcrypt().verify(stored, bytes("pässwörd 🔑"))).toBe(true)
      expect(await bcrypt().verify(stored, bytes("pässwörd"))).toBe(false)
    }
  })

  it("PASS-06: a hash in the format of bcrypt accepts no password that bcrypt cuts off", async () => {
    const { hash } = await import("bcryptjs")
    const whole = "a".repeat(72)
    const stored = await hash(whole, 4)
    expect(await bcrypt().verify(stored, bytes(whole))).toBe(true)
    expect(await bcrypt().verify(stored, bytes(`${whole}b`))).toBe(false)
    const withNul = await hash("short\0rest", 4)
    expect(await bcrypt().verify(withNul, bytes("short\0rest"))).toBe(false)
  })

  it.each(vectors.map(([format, password, stored]) => [format.name, format, password, stored] as const))(
    "PASS-07: a hash in the format of %s is verified as its own implementation made it",
    async (_, format, password, stored) => {
      expect(format.accepts(stored)).toBe(true)
      expect(await format.verify(stored, bytes(password))).toBe(true)
      expect(await format.verify(stored, bytes(`${password}x`))).toBe(false)
    },
  )

  it.each([
    ["scrypt with N = 2^30", scrypt(), "$scrypt$ln=30,r=8,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo"],
    ["scrypt that needs 2 GiB", scrypt(), "$scrypt$ln=20,r=16,p=1$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo"],
    ["scrypt with p = 10,000", scrypt(), "$scrypt$ln=10,r=8,p=10000$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo"],
    ["PBKDF2 with 10^9 iterations", pbkdf2(), "pbkdf2_sha256$1000000000$salt$aGFzaGhhc2hoYXNo"],
    ["phpass with 2^30 rounds", phpass(), "$P$SIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"],
    ["Argon2id with 4 GiB", argon2id(), "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa"],
    ["Argon2id with 1,000 passes", argon2id(), "$argon2id$v=19$m=64,t=1000,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa"],
    [
      "Argon2id with 256 MiB and 16 passes",
      argon2id(),
      "$argon2id$v=19$m=262144,t=16,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa",
    ],
    ["scrypt that takes minutes", scrypt(), "$scrypt$ln=18,r=8,p=16$c2FsdHNhbHQ$aGFzaGhhc2hoYXNo"],
    ["bcrypt with 2^31 rounds", bcrypt(), `$2b$31$${"a".repeat(53)}`],
    ["Argon2id without costs", argon2id(), "$argon2id$v=19$x=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMa"],
  ])("PASS-06: is refused for hostile costs: %s", async (_, format, stored) => {
    await expect(format.verify(stored, bytes("password"))).rejects.toThrow(/stored password hash/)
  })

  it.each(algorithms)("is not accepted in the format of another algorithm: $name", async (format) => {
    const others = vectors.filter(([other]) => other.name !== format.name).map(([, , stored]) => stored)
    for (const stored of [...others, "", "password", "$", `$${"a".repeat(5000)}`]) {
      expect(format.accepts(stored)).toBe(false)
    }
  })
})
