import { readFileSync } from 'node:fs';
import { runInThisContext } from 'node:vm';

/** A block of TypeScript in a page, marked by "```ts LABEL". */
interface DocumentationExample {
  readonly label: string;
  readonly code: string;
}

/** Every block of TypeScript of a page of documentation. */
export function examplesOf(file: string): DocumentationExample[] {
  const parts = readFileSync(file, 'utf8').split(/^```/m);
  // every second part is inside a fence
  return parts.flatMap((part, index) => {
    const [, label = '', code] = /^ts(?: (\w+))?\n([^]*)$/.exec(index % 2 === 1 ? part : '') ?? [];
    return code === undefined ? [] : [{ label, code }];
  });
}

/**
 * Runs a block as a module that imports MODULES.
 * @returns its logged lines, one for each call
 */
export async function runExample(code: string, modules: Readonly<Record<string, object>>): Promise<string[]> {
  // takes half a second to load, and most tests need none
  const { ModuleKind, ScriptTarget, transpileModule } = await import('typescript');
  const { outputText } = transpileModule(code, {
    compilerOptions: { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 },
  });
  const lines: string[] = [];
  const log = (...values: unknown[]): void => void lines.push(values.map(String).join(' '));
  const load = (name: string): object => {
    if (!modules[name]) throw new Error(`the example imports ${name}, which is not there`);
    return modules[name];
  };
  // a module may await at its top level, CommonJS only in a function
  const run = runInThisContext(`(async (require, exports, console) => {${outputText}\n})`) as Script;
  await run(load, {}, { log });
  return lines;
}

type Script = (
  require: (name: string) => object,
  exports: object,
  console: { log: (...values: unknown[]) => void },
) => Promise<void>;
