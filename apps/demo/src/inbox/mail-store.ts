import type { SQLOutputValue } from "node:sqlite"
import { openDatabase } from "../settings/data-folder.js"

/** A received mail. */
export interface Mail {
  readonly from: string
  readonly to: string
  readonly subject: string
  readonly receivedAt: Date
  readonly text: string
  /** Untrusted HTML; empty if the mail has none. */
  readonly html: string
}

export interface StoredMail extends Mail {
  readonly id: number
}

/** The mails in the demo's inbox, on disk. */
export interface MailStore {
  add(mail: Mail): void
  /** Newest first. */
  list(): readonly StoredMail[]
  find(id: number): StoredMail | null
  close(): void
}

/** The inbox deletes the oldest mail above this number. */
const capacity = 50

export function openMailStore(file: string): MailStore {
  const database = openDatabase(file)
  database.exec(
    `create table if not exists mail (id integer primary key autoincrement, sender text not null, recipient text not null,
      subject text not null, received_at integer not null, text text not null, html text not null) strict`,
  )
  const insert = database.prepare(
    "insert into mail (sender, recipient, subject, received_at, text, html) values (?, ?, ?, ?, ?, ?)",
  )
  const trim = database.prepare("delete from mail where id not in (select id from mail order by id desc limit ?)")
  const all = database.prepare("select * from mail order by id desc")
  const one = database.prepare("select * from mail where id = ?")
  return {
    add: (mail) => {
      insert.run(mail.from, mail.to, mail.subject, mail.receivedAt.getTime(), mail.text, mail.html)
      trim.run(capacity)
    },
    list: () => all.all().map(toMail),
    find: (id) => {
      const row = one.get(id)
      return row ? toMail(row) : null
    },
    close: () => database.close(),
  }
}

function toMail(row: Record<string, SQLOutputValue>): StoredMail {
  return {
    id: Number(row["id"]),
    from: String(row["sender"]),
    to: String(row["recipient"]),
    subject: String(row["subject"]),
    receivedAt: new Date(Number(row["received_at"])),
    text: String(row["text"]),
    html: String(row["html"]),
  }
}
