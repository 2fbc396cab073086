import { findMailerMistake, resolveMailer } from "../../config/mailer.js"
import { minSecretLength } from "../../crypto/keys.js"
import type { AuthError } from "../../errors/auth-error.js"
import { InvalidConfiguration } from "../../errors/errors.js"
import type { ActionContext, ServiceConfig } from "../../features/feature.js"
import { findTrackingMistake } from "../../features/tracked-sessions/track-sessions.js"
import type { AdapterNeeds } from "../../host/adapter-mistakes.js"
import type { Mailer, OwnSender } from "../../mail/own-sender.js"
import { isRecord } from "../../runtime/json.js"
import type { Awaitable } from "../../types/basics.js"
import { type MethodFact, methodFact } from "../steps.js"
import { argon2id } from "./argon2id.js"
import type { BreachedList } from "./breached.js"
import type { PasswordFormat, PasswordHasher } from "./format.js"
import { createHashing, type Hashing } from "./hashing.js"
import { findFieldsDefect, isFieldName, type SignUpFields, type SignUpQuestions } from "./sign-up-fields.js"

/** Options of `Passwords`. */
export interface PasswordsOptions {
  /** Sends the emails: one of the email providers that send whole emails, such as `Resend`, or `{ send(mail) }`. */
  readonly mail: Mailer
  /**
   * Least number of characters of a new password. Default: 15, or 8 if `secondFactors` is required of every user
   * (NIST SP 800-63B-4 section 3.1.1.2).
   */
  readonly minLength?: number | undefined
  /** Words that no new password may contain, such as the name of your product. Case is ignored. */
  readonly blocked?: readonly string[] | undefined
  /**
   * Where to look up whether a new password is known from a data breach. `online` asks Have I Been Pwned for the first
   * five digits of a hash; `fileList(path)` reads a copy of its list; with `false`, only the built-in list of common
   * passwords is used, which is always asked first. Default: `online`.
   */
  readonly breached?: "online" | BreachedList | false | undefined
  /** Hashes new passwords. Every instance of an app needs the same. Default: `argon2id()`. */
  readonly hash?: PasswordHasher | undefined
  /** Secrets that passwords are combined with before they are hashed, newest first. Keep them out of the store. */
  readonly pepper?: readonly string[] | undefined
  /** Formats of a former system, such as `bcrypt()`. After a correct password, the hash is replaced by a new one. */
  readonly accept?: readonly PasswordFormat[] | undefined
  /** Whether visitors can create accounts. Default: true. */
  readonly signUp?: boolean | undefined
  /**
   * What the sign-up page asks for besides, by the name of the user's field that keeps it. The values are texts, given to
   * `createUser` of the adapter, which needs columns for them. Default: nothing.
   */
  readonly fields?: SignUpFields | undefined
  /**
   * The name of the user's field that keeps, as a `Date`, when the visitor agreed to the terms, such as `termsAcceptedAt`. With
   * it, nobody signs up without. Needs `theme.links.terms`, and a column of the adapter. Default: visitors are not asked.
   */
  readonly terms?: string | undefined
  /** Whether an address without an account gets a mail that says so, after `forgot`. Default: true. */
  readonly mailUnknownAddresses?: boolean | undefined
  /** Returns the id of the user with the text that was typed, for sign-in by user name. Default: by address. */
  readonly find?: ((typed: string) => Awaitable<string | null>) | undefined
}

/** The options with their defaults. */
export interface PasswordSettings extends Pick<PasswordsOptions, "find" | "minLength"> {
  /** What sends the mails. */
  readonly sender: OwnSender
  readonly blocked: readonly string[]
  readonly breached: "online" | BreachedList | false
  readonly canSignUp: boolean
  readonly questions: SignUpQuestions
  readonly mailsUnknownAddresses: boolean
  readonly hashing: Hashing
}

/** The id of the provider, which is part of its URLs. */
export const passwordId = "password"

/** When the password was chosen that the user gave or set, in milliseconds since 1970. A newer one voids the sign-in. */
export const passwordChangedAt: MethodFact<number> = methodFact("password.changedAt")

export function resolveSettings(options: PasswordsOptions): PasswordSettings {
  const { mail, breached = "online", hash = argon2id(), pepper = [], accept = [], signUp = true, find } = options
  const { minLength, blocked = [], mailUnknownAddresses = true, fields = {}, terms } = options
  return {
    sender: resolveMailer(mail),
    blocked,
    breached,
    canSignUp: signUp,
    questions: { fields, termsField: terms },
    mailsUnknownAddresses: mailUnknownAddresses,
    hashing: createHashing({ hasher: hash, accept, pepper }),
    ...(find && { find }),
    ...(minLength !== undefined && { minLength }),
  }
}

/** The least number of characters of a new password. It may be shorter where every user needs a second factor. */
export function leastLength(
  { minLength }: Pick<PasswordSettings, "minLength">,
  { slots }: Pick<ActionContext, "slots">,
): number {
  return minLength ?? (slots.gate?.isForAll ? 8 : 15)
}

const needs: AdapterNeeds = {
  option: "providers.password",
  methods: ["getPassword", "setPassword"],
}

/** The first mistake in the options, and in what they need. */
export function findMistake(options: PasswordsOptions, config: ServiceConfig): AuthError | null {
  return (
    findOptionMistake(options) ??
    findQuestionMistake(options) ??
    findTermsMistake(options, config) ??
    findMailerMistake(options.mail, "providers.password.mail") ??
    findTrackingMistake(needs, config)
  )
}

function findTermsMistake({ terms }: PasswordsOptions, { theme }: ServiceConfig): AuthError | null {
  if (terms === undefined || theme?.links?.terms !== undefined) return null
  return wrong("visitors have to read what they agree to. Set theme.links.terms", "terms")
}

function wrong(sentence: string, option?: string): InvalidConfiguration {
  return new InvalidConfiguration(`providers.password${option === undefined ? "" : `.${option}`}: ${sentence}`)
}

type Rules = {
  readonly [Name in Exclude<keyof PasswordsOptions, "mail">]-?: readonly [(value: unknown) => boolean, string]
}

const isBoolean = (value: unknown) => typeof value === "boolean"
const isFunction = (value: unknown) => typeof value === "function"
const isList = (value: unknown, test: (each: unknown) => boolean) => Array.isArray(value) && value.every(test)
const has = (value: unknown, ...methods: readonly string[]) => methods.every((name) => isFunction(Object(value)[name]))

/** The values that each option accepts, and the words for them. */
const rules: Rules = {
  minLength: [isLength, "an integer from 1 to 64"],
  blocked: [(value) => isList(value, isWord), "a list of words of at least 3 characters"],
  breached: [
    (value) => value === "online" || value === false || has(value, "has"),
    '"online", fileList(path) or false',
  ],
  hash: [(value) => has(value, "accepts", "verify", "hash", "isCurrent"), "a hasher, such as argon2id()"],
  pepper: [(value) => isList(value, isSecret), `a list of secrets of at least ${minSecretLength} characters`],
  accept: [(value) => isList(value, (each) => has(each, "accepts", "verify")), "a list of formats, such as [bcrypt()]"],
  signUp: [isBoolean, "true or false"],
  mailUnknownAddresses: [isBoolean, "true or false"],
  find: [isFunction, "a function"],
  fields: [isRecord, "an object of fields by name"],
  terms: [isFieldName, "the name of a field of the user, such as termsAcceptedAt"],
}

function isLength(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= 64
}

function isWord(value: unknown): boolean {
  return typeof value === "string" && value.trim().length >= 3
}

function isSecret(value: unknown): boolean {
  return typeof value === "string" && value.length >= minSecretLength
}

function findQuestionMistake({ fields = {}, terms }: PasswordsOptions): AuthError | null {
  const defect = findFieldsDefect(fields)
  if (defect !== null) return wrong(defect, "fields")
  if (terms === undefined || !Object.hasOwn(fields, terms)) return null
  return wrong("is the name of one of the fields. Use another one", "terms")
}

function findOptionMistake(options: PasswordsOptions): AuthError | null {
  for (const [name, value] of Object.entries(options)) {
    if (name === "mail" || value === undefined) continue
    const rule = Object.hasOwn(rules, name) ? rules[name as keyof Rules] : undefined // as: just looked up.
    if (!rule) return wrong(`unknown option. Use mail, ${Object.keys(rules).join(", ")}`, name)
    if (!rule[0](value)) return wrong(`must be ${rule[1]}`, name)
  }
  const defect = (options.hash ?? argon2id()).findDefect?.() ?? null
  return defect === null ? null : wrong(defect, "hash")
}
