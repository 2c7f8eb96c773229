import { join } from 'node:path';
import { examplesOf } from '@fd/testing';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const examples = examplesOf(join(root, 'README.md'));

/** Compiler options of a frontend, or of a server with the Fetch API: strict, without the types of Node.js. */
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  module: ts.ModuleKind.ESNext,
  moduleResolution: ts.ModuleResolutionKind.Bundler,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.dom.d.ts'],
  types: [],
  // checks the declarations of the package too
  skipLibCheck: false,
};

it('compiles each example of the README with the published types', () => {
  expect(examples.map(({ label }) => label)).toEqual(['users', 'master', 'server']);
  // beside the package, so that it resolves by its name
  const files = new Map(examples.map(({ label, code }) => [join(root, `example-${label}.ts`), code]));
  const disk = ts.createCompilerHost(OPTIONS);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => files.has(path) || disk.fileExists(path),
    readFile: (path) => files.get(path) ?? disk.readFile(path),
    getSourceFile: (path, ...rest) => {
      const code = files.get(path);
      return code === undefined
        ? disk.getSourceFile(path, ...rest)
        : ts.createSourceFile(path, code, ts.ScriptTarget.ES2022);
    },
  };
  const program = ts.createProgram([...files.keys()], OPTIONS, host);
  const problems = ts
    .getPreEmitDiagnostics(program)
    .map(({ messageText, file, start }) => [
      file?.fileName,
      start,
      ts.flattenDiagnosticMessageText(messageText, '\n'),
    ]);
  expect(problems).toEqual([]);
  // the compiled files, not the sources
  const used = program.getSourceFiles().map(({ fileName }) => fileName);
  for (const entry of ['index', 'server']) expect(used).toContain(join(root, `dist/${entry}.d.ts`));
});
