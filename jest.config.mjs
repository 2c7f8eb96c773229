// All Jest tests, in projects by kind. Each file runs by its path or a pattern, from here or from a project's folder:
//   npx jest apps/users-service/test/identity/session.spec.ts -t 'refuses'
import { requireNodeForJest } from './tools/testing/node-for-jest.mjs';

await requireNodeForJest();

const root = import.meta.dirname;

const common = {
  rootDir: root,
  // workspace libs resolve to their TypeScript source: no build before a test
  testEnvironmentOptions: { customExportConditions: ['@fd/source', 'node', 'node-addons'] },
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    // these packages also publish a build in one file: 550 modules fewer to load for each test file
    '^rxjs(/operators)?$': '<rootDir>/libs/platform/node_modules/rxjs/dist/bundles/rxjs.umd.js',
    '^class-validator$':
      '<rootDir>/libs/contracts/node_modules/class-validator/bundles/class-validator.umd.js',
  },
  // compiles the sources to CommonJS, so that jest.mock works; packages and .mjs files run as they are
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: true,
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
  setupFiles: ['reflect-metadata'],
  // outside of the temporary folder, which a run removes
  cacheDirectory: `${root}/node_modules/.cache/jest`,
  restoreMocks: true,
};

const onStores = {
  globalSetup: '<rootDir>/tools/testing/stores.setup.mjs',
  globalTeardown: '<rootDir>/tools/testing/stores.teardown.mjs',
};

const onBuiltProduct = { ...onStores, globalSetup: '<rootDir>/tools/testing/product.setup.mjs' };

const withGenerousLimits = {
  ...onStores,
  setupFiles: [...common.setupFiles, '<rootDir>/libs/testing/src/use-generous-limits.config.ts'],
};

/** docs/CONTRIBUTING.md says which tests belong to which kind. */
const KINDS = {
  unit: { testMatch: ['<rootDir>/*/*/src/**/*.spec.ts'] },
  service: {
    ...withGenerousLimits,
    testMatch: ['<rootDir>/*/!(sandbox)/test/**/!(*.limits).spec.ts'],
  },
  sandbox: { ...withGenerousLimits, testMatch: ['<rootDir>/apps/sandbox/test/**/*.spec.ts'] },
  limits: { ...onStores, testMatch: ['<rootDir>/*/*/test/**/*.limits.spec.ts'] },
  system: { ...onBuiltProduct, testMatch: ['<rootDir>/**/*.system.spec.ts'] },
  release: { ...onBuiltProduct, testMatch: ['<rootDir>/**/*.release.spec.ts'] },
};

/** System and release tests take long, so they run only if the command line names them, by path or by kind. */
const isAsked = (kind) =>
  !['system', 'release'].includes(kind) || process.argv.slice(2).some((argument) => argument.includes(kind));

const kinds = Object.keys(KINDS).filter(isAsked);

/** Ends a test that hangs; tests should take far less. */
const testTimeout = kinds.includes('release') ? 600_000 : kinds.includes('system') ? 240_000 : 120_000;

/** The tests below FOLDERS. */
export const testsIn = (...folders) => ({
  projects: kinds.map((kind) => ({ displayName: kind, ...common, roots: folders, ...KINDS[kind] })),
  testTimeout,
  // twice the cores of the machines that run this, since tests also wait
  maxWorkers: 4,
  // V8 keeps some 80 MB of a file's ES modules for ever; a new worker loads them all again
  workerIdleMemoryLimit: '3000MB',
  // system tests start processes of their own, and mostly wait for their leases
  maxConcurrency: kinds.includes('system') ? 3 : 5,
  coverageProvider: 'v8',
});

export default testsIn(...['apps', 'libs', 'examples'].map((folder) => `${root}/${folder}`));
