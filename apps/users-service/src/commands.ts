import 'reflect-metadata';
import {
  databaseConfig,
  isProduction,
  migrateCommand,
  ownerDatabaseConfig,
  runCli,
  withDatabase,
} from '@fd/platform';
import { auditCommand, callsCommand, maintenanceCommand, operatorTools, piiCommand } from './core/index.js';
import { environment, keysConfig, piiConfig, usersConfig } from './config/index.js';
import { CALL_KINDS, ONBOARDING_DATABASE } from './onboarding-database.js';
import { eventsCommand } from './events/index.js';
import { partnerByUrl, partnersCommand, signedJwt } from './identity/index.js';
import { ekycVendors, panCommand, panVendors } from './kyc/index.js';
import { ACCOUNTS_OF_PAN, bankCommand, bankVendors } from './banking/index.js';
import { doctorCommand, issuerVendors, mailVendors, smsVendors } from './integrations/index.js';
import { journeyDocsCommand, usersCommand } from './application/index.js';

const database = () => databaseConfig(environment);
/** For commands that change tables. */
const owner = () => ownerDatabaseConfig(environment);
const connected = withDatabase(database, ONBOARDING_DATABASE);
const auditKeys = () => keysConfig(environment, 'AUDIT_KEYS');
const asOperator = operatorTools(connected, auditKeys, CALL_KINDS);
const pii = () => piiConfig(environment);

await runCli(
  'users-service',
  [
    migrateCommand(owner, ONBOARDING_DATABASE),
    maintenanceCommand(withDatabase(owner, ONBOARDING_DATABASE), auditKeys),
    partnersCommand(connected, asOperator, () => isProduction(environment)),
    eventsCommand(asOperator, pii, () => isProduction(environment), partnerByUrl),
    panCommand(asOperator, pii, ACCOUNTS_OF_PAN),
    bankCommand(asOperator, pii),
    callsCommand(asOperator),
    usersCommand(asOperator, pii),
    piiCommand(asOperator, () => keysConfig(environment, 'PII_KEYS')),
    auditCommand(connected, auditKeys, asOperator),
    doctorCommand({
      asOperator,
      settings: () => usersConfig(environment),
      ports: [smsVendors, mailVendors, panVendors, bankVendors, ekycVendors, issuerVendors],
      signed: ({ tokens }, type, report) => signedJwt(tokens.keys[0]!, type, report),
    }),
    journeyDocsCommand,
  ],
  process.argv.slice(2),
);
