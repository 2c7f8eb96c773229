import { execFileSync } from 'node:child_process';
import { gzipSync } from 'node:zlib';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '..');

describe('the bundle', () => {
  it('runs in browsers, without Node.js and dependencies', async () => {
    const { outputFiles, metafile } = await build({
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
    const inputs = Object.keys(metafile.inputs);
    expect(inputs.length).toBeGreaterThan(5);
    expect(inputs.filter((path) => !/^(libs\/client\/)?dist\//.test(path))).toEqual([]);
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([]);
    const text = outputFiles.map((file) => file.text).join('');
    for (const name of builtinModules) expect(text).not.toContain(`"node:${name}"`);
    expect(text).not.toMatch(/\b(process|Buffer|require|global)\b[.(]/);
    expect(gzipSync(text).length).toBeLessThan(6_000);
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
      'waitForBank',
      'waitForEkyc',
      'waitForPan',
    ]);
  });

  it('is packed with compiled files, types and README', () => {
    const [packed] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as [{ files: { path: string }[] }];
    const paths = packed.files.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['README.md', 'dist/index.js', 'dist/index.d.ts']));
    expect(paths.filter((path) => !/^(dist\/.*\.(js|d\.ts)|README\.md|package\.json)$/.test(path))).toEqual(
      [],
    );
  });
});
