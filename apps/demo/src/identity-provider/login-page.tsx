import type { ComponentChildren } from "preact"
import { renderDocument } from "../look/document.js"
import { PersonMark } from "../look/person-mark.js"
import { examplePeople } from "./people.js"

/** What somebody typed and what was wrong with it. */
export interface LoginForm {
  readonly name: string
  readonly email: string
  readonly problem: { readonly field: "name" | "email"; readonly text: string } | null
}

const siteName = "Demo ID"
const problemId = "problem"

/** The identity provider's page: choose or type who you are. */
export function renderLoginPage(form: LoginForm): string {
  return page("Sign in", [
    <h1>Who are you?</h1>,
    <p class="quiet">
      Demo ID believes whatever you say: it asks for no password. The sign-in that follows is a real OpenID Connect one.
    </p>,
    <Examples />,
    <p class="divider">or</p>,
    <OwnName form={form} />,
    <form method="post">
      <button type="submit" class="button full" name="action" value="cancel">
        Cancel and go back
      </button>
    </form>,
  ])
}

/** A page for a sign-in that cannot go on. */
export function renderProviderError(reason: string): string {
  return page("Something is missing", [
    <h1>This sign-in cannot go on</h1>,
    <p>Go back to the site you came from and begin again. Nothing has changed.</p>,
    <p class="quiet small">{reason}</p>,
  ])
}

function page(title: string, content: readonly ComponentChildren[]): string {
  const body = (
    <main class="narrow">
      <p class="site">{siteName}</p>
      <div class="card">{...content}</div>
    </main>
  )
  return renderDocument({ title, siteName, body })
}

function Examples(): ComponentChildren {
  return (
    <form method="post" class="stack">
      {examplePeople.map((person) => (
        <button type="submit" class="button full left" name="person" value={person.sub} key={person.sub}>
          <span class="person">
            <PersonMark name={person.name} />
            <span>
              {person.name}
              <span class="quiet small">{person.email}</span>
            </span>
          </span>
        </button>
      ))}
      <p class="quiet small">Mallory is not welcome in the demo: the app refuses that account.</p>
    </form>
  )
}

function OwnName({ form }: { readonly form: LoginForm }): ComponentChildren {
  return (
    <form method="post" class="fields" noValidate>
      {form.problem && (
        <p class="alarm" role="alert" id={problemId}>
          {form.problem.text}
        </p>
      )}
      <TextField form={form} name="name" label="Name" />
      <TextField form={form} name="email" label="Email address" />
      <button type="submit" class="button main full">
        Continue
      </button>
    </form>
  )
}

interface TextFieldProps {
  readonly form: LoginForm
  readonly name: "name" | "email"
  readonly label: string
}

function TextField({ form, name, label }: TextFieldProps): ComponentChildren {
  const isRefused = form.problem?.field === name
  const attributes = {
    id: name,
    name,
    value: form[name],
    autoComplete: name,
    required: true,
    ...(isRefused ? { "aria-invalid": true, "aria-describedby": problemId } : {}),
  }
  return (
    <div>
      <label for={name}>{label}</label>
      {name === "email" ? <input type="email" {...attributes} /> : <input type="text" {...attributes} />}
    </div>
  )
}
