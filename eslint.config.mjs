import js from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import redos from 'eslint-plugin-redos';
import * as regexp from 'eslint-plugin-regexp';
import globals from 'globals';
import tseslint from 'typescript-eslint';
import { boundaryConfigs, tablesOfOthers, USERS_DOMAINS } from './tools/architecture/boundaries.mjs';

const NO_ENUM = {
  selector: 'TSEnumDeclaration',
  message: 'Write a union of literals (as const) instead of an enum.',
};

const NO_CODE = [
  'Literal[value=/SVC(USER|MAS|INV)[0-9]/]',
  'TemplateElement[value.raw=/SVC(USER|MAS|INV)[0-9]/]',
  'Literal[regex.pattern=/SVC(USER|MAS|INV).*[0-9]{4}/]',
].map((selector) => ({
  selector,
  message: 'Name the error: the catalogue of @fd/errors alone has its code.',
}));

/** A function with a transaction has it as its first parameter, `tx`. */
const TRANSACTIONS = [
  {
    selector:
      ':function[params.0.name="tx"] MemberExpression[object.type="ThisExpression"][property.name=/^(rows|manager|dataSource)$/]',
    message: 'Use tx: an injected repository or data source runs its statements outside of the transaction.',
  },
  {
    selector:
      'TSParameterProperty:has(Decorator[expression.callee.name="InjectRepository"]) > Identifier:not([name="rows"])',
    message: 'Name an injected repository `rows`, so that lint finds it where a transaction is to be used.',
  },
];

export default defineConfig(
  globalIgnores([
    '**/dist/',
    '**/coverage/',
    '**/.nx/',
    '.data/',
    'guide/.pages/',
    'guide/.vitepress/cache/',
  ]),
  js.configs.recommended,
  { languageOptions: { globals: globals.node } },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    settings: {
      'import-x/resolver-next': [createTypeScriptImportResolver({ noWarnOnMultipleProjects: true })],
    },
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        emitDecoratorMetadata: true,
        experimentalDecorators: true,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-namespace': ['error', { allowDeclarations: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-extraneous-class': 'off',
      '@typescript-eslint/only-throw-error': 'error',
      'import-x/no-cycle': ['error', { ignoreExternal: true }],
      'import-x/no-default-export': 'error',
      eqeqeq: 'error',
      'no-console': 'error',
      'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
      'max-params': ['error', 6],
      'no-restricted-syntax': ['error', NO_ENUM],
    },
  },
  {
    files: ['{apps/console,examples/*}/src/**/*.{ts,tsx}', 'guide/.vitepress/theme/*.mjs'],
    languageOptions: { globals: globals.browser },
  },
  {
    // prints as the code of its readers does
    files: ['examples/partner-backend/src/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // clients read codes; the services and their tests name the errors
    files: ['apps/*/src/**/*.ts', 'apps/*-service/test*/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: [
      'libs/errors/src/catalogue/*.ts',
      'libs/errors/src/catalogue.spec.ts',
      'libs/client/**',
      'apps/console/**',
      'apps/users-service/test/core/client.spec.ts',
    ],
    rules: { 'no-restricted-syntax': ['error', NO_ENUM, ...NO_CODE, ...TRANSACTIONS] },
  },
  ...USERS_DOMAINS.map((domain) => ({
    files: [`apps/users-service/src/${domain}/**/*.ts`],
    // reviewed SQL, which also makes what a domain publishes
    ignores: ['**/migrations/*.ts'],
    rules: {
      'no-restricted-syntax': ['error', NO_ENUM, ...NO_CODE, ...TRANSACTIONS, ...tablesOfOthers(domain)],
    },
  })),
  {
    // these expressions match untrusted input: one that takes more than linear time lets one call block all others
    files: ['apps/*/src/**/*.{ts,tsx}', 'libs/*/src/**/*.ts'],
    ignores: ['**/*.spec.ts', 'libs/{testing,browser-testing,fuzzing}/**'],
    plugins: { regexp, redos },
    rules: {
      // recheck's verdict: limited by its work instead of by time, so that it does not depend on the machine
      'redos/no-vulnerable': [
        'error',
        {
          ...{ ignoreErrors: false, timeout: 600_000, attackTimeout: null, incubationTimeout: null },
          // less work than by default: found the same expressions in half of the time
          ...{ maxIteration: 2, maxInitialGenerationSize: 100 },
        },
      ],
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': 'error',
    },
  },
  {
    // settings are read and validated once; everything else gets them injected
    files: ['apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'],
    ignores: ['**/*config*.ts', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'process', property: 'env', message: 'Read settings in a *config* file only.' },
      ],
    },
  },
  {
    files: ['**/*.spec.ts', '**/{test,test-system}/**/*.ts', 'libs/testing/**/*.ts'],
    languageOptions: { globals: globals.jest },
    rules: {
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      'max-lines-per-function': 'off',
    },
  },
  ...boundaryConfigs,
);
