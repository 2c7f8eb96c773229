// npm run api:lint: checks docs/openapi with the recommended rules of Redocly and the OpenAPI rules of Spectral. Warnings fail too.
import { join } from 'node:path';
import { checksFolder, installChecks, runCheck } from './api-checks.mjs';
import { DOCUMENTED_SERVICES, documentPath } from './openapi-documents.mjs';

installChecks();
const documents = DOCUMENTED_SERVICES.map(documentPath);
const statuses = [
  runCheck('redocly', ['lint', '--config', join(checksFolder, 'redocly.yaml'), ...documents]).status,
  runCheck('spectral', [
    'lint',
    '--ruleset',
    join(checksFolder, 'spectral.yaml'),
    '--fail-severity',
    'hint',
    ...documents,
  ]).status,
];
process.exitCode = statuses.every((status) => status === 0) ? 0 : 1;
