import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

/** Bytes by which the stated size may be off: half of its last digit, and small changes of the code or of zlib. */
const SIZE_TOLERANCE = 200;

interface Manifest {
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>;
  readonly publishConfig: Pick<Manifest, 'exports'>;
}

/** The whole client as one script. */
const bundle = () =>
  build({
    entryPoints: [join(root, 'dist/index.js')],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'iife',
    globalName: 'client',
    target: 'es2023',
  });

describe('the bundle', () => {
  it('runs in browsers, without Node.js and dependencies', async () => {
    const { outputFiles, metafile } = await bundle();
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(5);
    expect(inputs.filter((path) => !/^(libs\/client\/)?dist\//.test(path))).toEqual([]);
    expect(inputs.filter((path) => path.endsWith('/server.js'))).toEqual([]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    const text = outputFiles.map((file) => file.text).join('');
    for (const name of builtinModules) expect(text).not.toContain(`"node:${name}"`);
    expect(text).not.toMatch(/\b(process|Buffer|require|global)\b[.(]/);
    // the globals of a page, and no others
    const page = { fetch, Request, Response, Headers, URL, AbortSignal, crypto, setTimeout, clearTimeout };
    const { client } = runInNewContext(`${text}; ({ client })`, { ...page }) as {
      client: Record<string, unknown>;
    };
    expect(Object.keys(client).sort()).toEqual([
      'ApiError',
      'MemoryTokenStorage',
      'NoAnswerError',
      'NotYetError',
      'ServiceClient',
      'createClient',
      'newIdempotencyKey',
      'waitFor',
      'waitForBank',
      'waitForEkyc',
      'waitForPan',
    ]);
  });

  it('keeps the gzipped size that the README states, within 0.2 kB', async () => {
    const { outputFiles } = await bundle();
    const [, stated] = /adds ([0-9.]+) kB/.exec(readFileSync(join(root, 'README.md'), 'utf8'))!;
    const size = gzipSync(outputFiles[0]!.contents).length;
    expect(Math.abs(size - Number(stated) * 1_000)).toBeLessThanOrEqual(SIZE_TOLERANCE);
  });

  it('contains compiled files, types and README', () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    const files = ['index', 'server'].flatMap((name) => [`dist/${name}.js`, `dist/${name}.d.ts`]);
    expect(paths).toEqual(expect.arrayContaining(['README.md', ...files]));
    // pnpm copies the workspace's LICENSE here while it packs, which the tests of the release do at the same time
    const isExpected = (path: string) =>
      /^(dist\/.*\.(js|d\.ts)|README\.md|LICENSE|package\.json)$/.test(path);
    expect(paths.filter((path) => !isExpected(path))).toEqual([]);
  });

  it('is published with the entries of the workspace, without their sources', () => {
    const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
    const { './package.json': self, ...entries } = manifest.exports;
    const withoutSources = Object.entries(entries).map(([name, { types, default: code }]) => [
      name,
      { types, default: code },
    ]);
    expect(withoutSources).toHaveLength(2);
    expect(manifest.publishConfig.exports).toEqual({
      './package.json': self,
      ...Object.fromEntries(withoutSources),
    });
  });
});
