import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { expect, test } from "vitest";
import { variables } from "./variables";

const text = readFileSync(new URL("../../.env.example", import.meta.url), "utf8");
const uncommented = text.replace(/^# ([A-Z_]+=)/gm, "$1");

test("it sets nothing until a line is uncommented", () => {
  expect(parseEnv(text)).toEqual({});
});

test("it names every variable, each once, under a sentence about it", () => {
  const lines = text.split("\n");
  const names = lines.flatMap((line, i) => {
    const name = /^# ([A-Z_]+)=/.exec(line)?.[1];
    return name !== undefined && /^# [A-Za-z].*\.$/.test(lines[i - 1] ?? "") ? [name] : [];
  });
  expect(names.sort()).toEqual(Object.keys(variables).sort());
});

test.each(Object.entries(variables))("its %s is allowed", (name, variable) => {
  expect(variable.safeParse(parseEnv(uncommented)[name]).error).toBeUndefined();
});
