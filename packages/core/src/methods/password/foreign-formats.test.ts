import { describe, expect, it } from "vitest"
import { argon2id } from "./argon2id.js"
import {
  bcrypt,
  betterAuth,
  firebaseScrypt,
  lucia,
  passportLocalMongoose,
  pbkdf2,
  phpass,
  scrypt,
} from "./foreign-formats.js"
import type { PasswordFormat } from "./format.js"

const bytes = (text: string) => new TextEncoder().encode(text)

/** The example of https://github.com/firebase/scrypt. */
const project = {
  signerKey: "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==",
  saltSeparator: "Bw==",
  rounds: 8,
  memoryCost: 14,
}
const firebase = firebaseScrypt(project)
const toFirebase = (costs: string) => `$fbscrypt$v=1,${costs},ss=Bw==,sk=AAAAAAAA$AAAAAAAA$AAAAAAAA`
const firebaseHash =
  "$fbscrypt$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="

const phrase = "correct horse battery staple"
/** It has another form in NFKC. */
const odd = "ﬁne pässwörd ①"

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
    odd,
    "890757a8299c972b18f9c57b3d183c4a:8009820dc10b3c3747dff2901ef15291d306aaa1ba8337b3400dcb4ec94d7f7e876665993ddf9f741a6ec63bb0b37e8b8e29fa6f84ed00ae43d1eef9d68afa44",
  ],
  // firebase-scrypt 2.2.0, in base64url as the Admin SDK lists salt and hash.
  [
    firebase,
    phrase,
    "$fbscrypt$_-rYSX0DoaHl3Q==$Loky27M8x8jrcGHDh0xef7uPwha_yFpbuDqw4jdULrC8QUUOl64OMkBOU7i9x0UWFkSz61f-g05TXYctkiRRBQ==",
  ],
  // The tests of GoTrue's internal/crypto.
  [
    firebaseScrypt(),
    "mytestpassword",
    "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+hfTw==",
  ],
  // Scrypt and LegacyScrypt of lucia 3.2.2.
  [
    lucia(),
    phrase,
    "563ba5636132578c3409d543d6eb4860:d73b3e3612e63e5b15467925267eca8e47c83877ebd76f76689205255a2c2ccce3ab3a21dacddd8d8f8df176ecb10429a5e2f5bf5a52ec2170b932c97d489159",
  ],
  [
    lucia(),
    phrase,
    "s2:bba2e519bcae7feb40fd7d85d4d9c22c:77b914e33ac36c854dbffdea1262ffa6ff0bf92b90796887f951121df9e8cdb4d9e013f0e6dd58169ca6c4a32974fbb30fa0c6c266fe4d56f4cba53f2404b551",
  ],
  [
    lucia(),
    odd,
    "299f4572559c41237f55e80158675590:72013c20af6bcf43df539702d4bfe51fede51dd60648ac1bc6f36e38fc39dc09a82107cf9264768bfe119037c8a7f05d5d88077bea52ff43062fdbf9904bdba1",
  ],
  [
    lucia(),
    odd,
    "s2:d672fd9e1759aacb5a3618db21367d18:406d4ba9f184357b14ebdd93123e4b4a8e665ac3b0fa64daa106eb43d866479f29a596ab2a337a7883a1c3a692aebc464d3d4e767a219a028e5431fa5ea46ff3",
  ],
  // lucia 2.7.7, lucia-auth 0.4.3 and 0.1.4, which used r = 8.
  [
    lucia(),
    phrase,
    "s2:ipjinr9mgd1kj3yt:ae7a1a6718cfa5ba443f1f441886a7aeee861e8558b8af25e7a42682a7ee12156fa8e716477c52b648801cc2eec482fb4b5c3e376bf3120a3a72eed6b7bc8070",
  ],
  [
    lucia(),
    odd,
    "s2:go7t3bmj9agkemeq:a4f33119a1e24877e7eb518c502cd899a9f533bfa4b93c9c612fbdd131d23124408a572970e5aeffe618c533aded5b11dc0f01a42209b93a92176e74fe041750",
  ],
  [
    lucia(),
    phrase,
    "s2:xR3eubL0lCqjA5UW:fb3ab9c221f0c96410e8f28f472e2f4e58b0e3b850beaf96771127924343cc4232115bb27453e5c0ae4c432c349cf54a027c4fdde0f01dbacce47e70a50d5a47",
  ],
  [
    lucia(),
    phrase,
    "BpGILYBWuw6sJHoi:cbe26fb25d7b93ce5c35d6f38508975d286440995c42b2278722cd6d621e334d210355da2c24b284c90fce37f18c9413c4a2ed091c61bc8a3a21181b3fcce160",
  ],
  [
    lucia(),
    odd,
    "gnNxqIvqgWzQaefh:213026aa16e78971ac57d340bdca1f766da8f7e0cd6b2b8a95f301d88e2b6bea471a8cd1b7e7395bce10f0f3b212cb1cecfc034f06fca1aec2035765ced3103c",
  ],
  // setPassword of passport-local-mongoose 9.2.0.
  [
    passportLocalMongoose({ keylen: 64, iterations: 1000 }),
    phrase,
    "$passport-local-mongoose$92e352de416758e97327cc41264c3664b4266b389d60b445b04396c29c5bc4a5$b54a2d7fb970473e86eb3ec42d973aee4be17b9344ae7a2a8750809a0226bb8f8d656a5fac9aa9ea67b6076a0f005d41f006943cc45ad4a7495e1d3da1261c31",
  ],
  [
    passportLocalMongoose(),
    "pässwörd 🔑",
    "$passport-local-mongoose$f4d5aadf4efbe2fcd377817eca84f22929e4d701274bdc1f9e931f14e4c7dab2$3c1a96e7efaf05d456a1428f0e18eb7dfe771b8a145eb32cc6713a17bd30c6643286e1a9e2bc160089f9701efba420b0a2db389cec0b6cc98717b45295ce71a19fe6e9e2bd94d0fd0cd286ee35fa391db67288f41b2b957f72fd83d8b7a08b7b9c2af03415eb90192a21867a0588f947aade5bdd57c0e90fcb8175fff3e1c436df842c65bad30f38cc9f17c1dbfa1659979a64a4b51830a55ac249202b678582a932ae2b7e88c64c1e7b85eed55fd51fd6dc658640f610493924ef0c25b735807e4221d79774f57e0499499ea8153500854bec05a25e6c8b4da056240bdc39ee70529036cec90eb361df885b42aa054f718e4650db431eab3644ae0029733cd408d81ffc3b70431c841be1c3842aa1f52d816293b39a1b0466bc5b6cec08a6ab08461fb61bf21f60a7da19519036a65d86a367bae89d5c9848bb21691dfbc9c9039dc6f80b447d9c0ea78b58b5faf694a252aa61c74bf1129f1ce76ab94e284c50b1c414c256e9c8bbaf6198d0e56f36922d8426b8457004c5de0f71ac41573a0bfa4cdc0df8ffbe8ab7c39c0e25ee3037ba48bcfbddd0460f008a77cd4edcf44f222f3342d545ca5eb9e369c6fc72f3f6e3ce348434cf9749fc5c5463885849c2765cf5d03a7c003b71125903123674f584835eee29b5a96e94056440ef7f9df7d45a7aed45c52101a11c62f7a9360bddd120d072e35671558c4bcba88dbd80",
  ],
  [
    passportLocalMongoose({ digestAlgorithm: "sha1", keylen: 20, encoding: "base64", iterations: 100 }),
    phrase,
    "$passport-local-mongoose$rL1QHgtxrYdPiBbKsLPT2g==$ngZ3tmNoOzAgmWDoPgDtVFAwSo8=",
  ],
  [
    passportLocalMongoose({ digestAlgorithm: "sha512", keylen: 100, encoding: "base64", iterations: 100 }),
    phrase,
    "$passport-local-mongoose$siX/qYoxK8GKMO3LccglIg==$MBaH52pW9TVTpq6YgmMiw2GFScn2P3nKGuTg4JusFGLc2pCHnJh49Fbp22ctA27ofqUZiAYl9bORP1MusEviaqWitWnpQdog4wU2xJRNI0ub3hczBli3LhmVY09J4sQKMB6/Gg==",
  ],
]

const algorithms = [
  argon2id(),
  bcrypt(),
  scrypt(),
  betterAuth(),
  lucia(),
  firebase,
  pbkdf2(),
  passportLocalMongoose(),
  phpass(),
]
/** Lucia 3 and Better Auth write the same. */
const isShared = (stored: string) => /^[\da-f]{32}:/.test(stored)

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
      expect(() => format.assertVerifiable?.(stored)).not.toThrow()
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
    ["Firebase with N = 2^30", firebaseScrypt(), toFirebase("n=30,r=8,p=1")],
    ["Firebase that needs 2 GiB", firebaseScrypt(), toFirebase("n=20,r=16,p=1")],
    ["Firebase with p = 99", firebaseScrypt(), toFirebase("n=18,r=8,p=99")],
    ["Firebase with N = 1", firebaseScrypt(), toFirebase("n=0,r=8,p=1")],
    ["Firebase with r = 0", firebaseScrypt(), toFirebase("n=14,r=0,p=1")],
    ["Firebase of a project with hostile costs", firebaseScrypt({ ...project, memoryCost: 30 }), firebaseHash],
    ["Firebase of a project without costs", firebaseScrypt({ ...project, memoryCost: Number.NaN }), firebaseHash],
    [
      "a key of another length",
      passportLocalMongoose({ keylen: 64 }),
      `$passport-local-mongoose$ab$${"ab".repeat(32)}`,
    ],
    ["a key in another encoding", passportLocalMongoose(), `$passport-local-mongoose$ab$${"AB==".repeat(128)}`],
  ])("PASS-06: is refused for hostile costs: %s", async (_, format, stored) => {
    await expect(format.verify(stored, bytes("password"))).rejects.toThrow(/stored password hash/)
    expect(() => format.assertVerifiable?.(stored)).toThrow(/stored password hash/)
  })

  it.each([
    { iterations: 2_000_001 },
    { iterations: 0 },
    { keylen: 8 },
    { keylen: 10_000_000 },
    { digestAlgorithm: "md5" },
    { encoding: "utf8" },
  ])("is not verified with the options %j of passport-local-mongoose", (options) => {
    expect(() => passportLocalMongoose(options as object)).toThrow(/^passportLocalMongoose: iterations must be/)
  })

  it.each(algorithms)("is not accepted in the format of another algorithm: $name", async (format) => {
    const isOther = ([other, , stored]: (typeof vectors)[number]) => other.name !== format.name && !isShared(stored)
    const others = vectors.filter(isOther).map(([, , stored]) => stored)
    for (const stored of [...others, "", "password", "$", `$${"a".repeat(5000)}`]) {
      expect(format.accepts(stored)).toBe(false)
    }
  })
})
