import { runInNewContext } from "node:vm"
import { describe, expect, it } from "vitest"
import { copyFields, withFields } from "./instance.js"
import { isDate, isPlain } from "./merge.js"

class Person {
  readonly team: string = "R&D"
  #name = "Vera"
  get name() {
    return this.#name
  }
  get report() {
    throw new Error("it starts a query")
  }
  rename(name: string) {
    this.#name = name
  }
}

class Row extends Person {
  toJSON() {
    return { id: 7 }
  }
}

describe("values of another realm", () => {
  it("are recognized as dates and as plain objects", () => {
    const [date, plain, array] = runInNewContext("[new Date(5), { a: { b: 1 } }, []]")
    expect([date, plain, array].map(isDate)).toEqual([true, false, false])
    expect([date, plain, array].map(isPlain)).toEqual([false, true, false])
  })

  it("are neither if they only look like one", () => {
    const values = [new Person(), "1970-01-01", 5, null, undefined, { getTime: () => 5 }]
    expect(values.map(isDate)).toEqual(values.map(() => false))
    expect([isPlain(new Person()), isPlain(new Row()), isPlain(new Map())]).toEqual([false, false, false])
  })
})

describe("copyFields", () => {
  it("copies a plain object, and reads no other names", () => {
    const plain: { id: string; name?: string } = { id: "7" }
    const copy = copyFields(plain, ["name"])
    expect(copy).toStrictEqual(plain)
    expect(copy).not.toBe(plain)
  })

  it("takes the own fields of an instance and the named getters only", () => {
    expect(copyFields(new Person(), ["name"])).toStrictEqual({ team: "R&D", name: "Vera" })
  })

  it("takes what toJSON returns, and the named getters", () => {
    expect(copyFields(new Row(), ["name"])).toStrictEqual({ id: 7, name: "Vera" })
  })

  it("takes the own fields if toJSON returns no object", () => {
    const instance = Object.assign(new Person(), { toJSON: () => "Vera" })
    expect(copyFields(instance, [])).toMatchObject({ team: "R&D" })
  })
})

describe("withFields", () => {
  it("returns an instance itself if it has the values already", () => {
    const person = new Person()
    expect(withFields(person, { name: "Vera" })).toBe(person)
  })

  it("keeps methods and getters, and leaves the instance as it is", () => {
    const person = new Person()
    const changed = withFields(person, { team: "Sales" })
    changed.rename("Walt")
    expect([changed.name, changed.team, changed instanceof Person]).toEqual(["Walt", "Sales", true])
    expect([person.name, person.team]).toEqual(["Walt", "R&D"])
    expect({ ...changed }).toEqual({ team: "Sales" })
  })

  it("creates a copy of a plain object", () => {
    const plain = { id: 7, name: "Vera" }
    expect([withFields(plain, { id: 8 }), plain]).toEqual([
      { id: 8, name: "Vera" },
      { id: 7, name: "Vera" },
    ])
  })
})
