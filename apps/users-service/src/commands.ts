import 'reflect-metadata';
import {
  databaseConfig,
  isProduction,
  migrateCommand,
  ownerDatabaseConfig,
  runCli,
  withDatabase,
} from '@fd/platform';
import { auditCommand, callsCommand, maintenanceCommand, operatorTrail, piiCommand } from './core/index.js';
import { environment, keysConfig, piiConfig, usersConfig } from './config/index.js';
import { ONBOARDING_DATABASE } from './onboarding-database.js';
import { journeyDocsCommand } from './journey/index.js';
import { partnersCommand, signedJwt } from './identity/index.js';
import { ekycVendors, panCommand, panVendors } from './kyc/index.js';
import { bankCommand, bankVendors } from './banking/index.js';
import { doctorCommand, issuerVendors, mailVendors, smsVendors } from './integrations/index.js';
import { usersCommand } from './application/index.js';

const database = () => databaseConfig(environment);
/** For commands that change tables. */
const owner = () => ownerDatabaseConfig(environment);
const connected = withDatabase(database, ONBOARDING_DATABASE);
const auditKeys = () => keysConfig(environment, 'AUDIT_KEYS');
const asOperator = operatorTrail(auditKeys);

await runCli(
  'users-service',
  [
    migrateCommand(owner, ONBOARDING_DATABASE),
    maintenanceCommand(withDatabase(owner, ONBOARDING_DATABASE), auditKeys),
    partnersCommand(connected, asOperator, () => isProduction(environment)),
    panCommand(connected, () => piiConfig(environment), asOperator),
    bankCommand(connected, () => piiConfig(environment), asOperator),
    callsCommand(connected, asOperator),
    usersCommand(connected, () => piiConfig(environment), asOperator),
    piiCommand(connected, () => keysConfig(environment, 'PII_KEYS'), asOperator),
    auditCommand(connected, auditKeys, asOperator),
    doctorCommand(
      connected,
      asOperator,
      () => usersConfig(environment),
      [smsVendors, mailVendors, panVendors, bankVendors, ekycVendors, issuerVendors],
      ({ tokens }, type, report) => signedJwt(tokens.keys[0]!, type, report),
    ),
    journeyDocsCommand,
  ],
  process.argv.slice(2),
);
