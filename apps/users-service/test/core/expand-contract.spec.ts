import { migrate } from '@fd/platform';
import {
  breaksFormer,
  createTestDatabase,
  recordEvidence,
  schemaShape,
  type TestDatabase,
} from '@fd/testing';
import { ONBOARDING_DATABASE } from '../../src/onboarding-database.js';

/**
 * Constraints that a migration added to a table of the former release, and why they do not break that release. Any
 * other breaking change takes two releases: the first adds optional parts, the second the rest.
 */
const HARMLESS: Readonly<Record<string, string>> = {
  'ProtectProof1763904000000: consents tr_consents__protected may refuse values that were accepted':
    'the former release only withdraws consents, now, and deletes old ones',
  'ProtectProof1763904000000: erased_users tr_erased_users__protected may refuse values that were accepted':
    'the former release only re-encrypts KYC records, and deletes expired ones',
  ...Object.fromEntries(
    ['consents', 'accepted_declarations', 'nominee_waivers', 'erased_users', 'journey_events'].map(
      (table) => [
        `DateProof1764200000000: ${table} tr_${table}__about_now may refuse values that were accepted`,
        'the former release leaves times to their defaults',
      ],
    ),
  ),
  'BoundEventTimes1764340000000: audit_unsealed tr_audit_unsealed__about_now may refuse values that were accepted':
    'the former release records events when they happen, by a clock that is wrong by less than a day back and a month ahead',
  'BoundEventTimes1764340000000: insight_events tr_insight_events__about_now may refuse values that were accepted':
    'the former release leaves the time to its default',
  ...Object.fromEntries(
    [
      'audit_unsealed proof',
      'audit_events hash',
      'journey_events reason',
      'consents purpose',
      'nominee_waivers declaration_version',
    ].map((place) => {
      const [table, column] = place.split(' ');
      return [
        `BoundProofTexts1764350000000: ${table} ck_${table}__${column} may refuse values that were accepted`,
        'the former release writes shorter texts',
      ];
    }),
  ),
  'DateProof1764200000000: accepted_declarations tr_accepted_declarations__append_only may refuse values that were accepted':
    'the former release only adds declarations',
  'DateProof1764200000000: accepted_declarations tr_accepted_declarations__kept may refuse values that were accepted':
    'the former release deletes them after it has recorded the erasure of the user',
  'DateProof1764200000000: nominee_waivers tr_nominee_waivers__kept may refuse values that were accepted':
    'the former release deletes them then, and seven years after their end',
  'DateProof1764200000000: nominee_waivers tr_nominee_waivers__protected may refuse values that were accepted':
    'the former release only ends them, now',
  'DateProof1764200000000: erased_users tr_erased_users__gone may refuse values that were accepted':
    'the former release deletes the user in the same transaction',
  'UniteLivingConsents1763810000001: consents uq_consents__living may refuse values that were accepted':
    'it concerns rows with is_united, which the former release does not write',
  'KeepFactSheetHashes1763903200000: consents uq_consents__document_hash may refuse values that were accepted':
    'it concerns a column that the former release leaves null',
  'AddEmail1763830000000: users ck_users__email may refuse values that were accepted':
    'it concerns columns that the former release leaves null',
  'AddEmail1763830000000: users ck_users__email_index may refuse values that were accepted': 'the same',
  'AddEmail1763830000000: users uq_users__email_index may refuse values that were accepted': 'the same',
  'FollowEkycRequests1763894000000: ekyc_requests ck_ekyc_requests__state may refuse values that were accepted':
    'it concerns a column that the former release leaves at its default',
  'FollowLockerSessions1763894100000: locker_sessions ck_locker_sessions__state may refuse values that were accepted':
    'the same',
  'BoundInsights1763871000000: insight_events tr_insight_events__append_only may refuse values that were accepted':
    'it refuses less than before, since the other trigger now checks deletions',
  'BoundInsights1763871000000: insight_events tr_insight_events__kept may refuse values that were accepted':
    'the former release could not delete rows',
  'ContestPanClaims1763893000000: ekyc_requests tr_ekyc_requests__compared_with may refuse values that were accepted':
    'it refuses nothing: it fills in what the former release does not name',
  'BoundSessions1763895000000: sessions ck_sessions__end_reason may refuse values that were accepted':
    'it accepts one more reason than before',
  'ReviewBankNames1763896000000: bank_accounts ck_bank_accounts__name_review may refuse values that were accepted':
    'it concerns a column that the former release leaves null',
  'RememberLockerOrigins1764100100000: locker_sessions ck_locker_sessions__origin_index may refuse values that were accepted':
    'it concerns a column that the former release leaves null',
  'BlockUsers1763899000000: sessions ck_sessions__end_reason may refuse values that were accepted':
    'it accepts more reasons than before',
  'BoundInsightBytes1763900000000: insight_days ck_insight_days__bytes may refuse values that were accepted':
    'it concerns a column that the former release leaves at its default',
  ...Object.fromEntries(
    ['audit_events', 'insight_events', 'journey_events'].flatMap((table) =>
      ['BoundFormerEvents1763901000000', 'ValidateFormerEvents1763901100000'].map((migration) => [
        `${migration}: ${table} ck_${table}__former may refuse values that were accepted`,
        'it refuses times that are weeks ahead, and goes with the next migrations',
      ]),
    ),
  ),
  'PartitionEvents1763901200000: insight_events tr_insight_events__once may refuse values that were accepted':
    'it skips what the primary key skipped before',
  'KeepUsers1764370000000: users tr_users__kept may refuse values that were accepted':
    'the former release records an erasure before it deletes the user',
  'KeepUsers1764370000000: users tr_users__same_id may refuse values that were accepted':
    'no release changes the id of a user',
};

describe('migrations while the former release runs', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('keeps everything that the former release reads and writes, after each migration', async () => {
    const { migrations, schema } = ONBOARDING_DATABASE;
    const broken: string[] = [];
    let before = await schemaShape(database.url, schema).catch(() => undefined);
    for (let count = 1; count <= migrations.length; count++) {
      const definition = { ...ONBOARDING_DATABASE, migrations: migrations.slice(0, count) };
      const applied = await migrate({ url: database.url, poolSize: 1 }, definition);
      expect(applied).toHaveLength(1);
      const after = await schemaShape(database.url, schema);
      if (before) broken.push(...breaksFormer(before, after).map((text) => `${applied[0]}: ${text}`));
      before = after;
    }
    expect(before!.columns.size).toBeGreaterThan(100);
    // partitions have the triggers of their table
    const ofTable = (text: string): string =>
      text.replace(/((?:journey|insight|audit)_events)_(?:\d{4}(?:_\d\d)?|default) /, '$1 ');
    expect(broken.filter((text) => !(ofTable(text) in HARMLESS))).toEqual([]);
    expect(Object.keys(HARMLESS).filter((text) => !broken.includes(text))).toEqual([]);
    recordEvidence('expand-contract', { migrations: migrations.length, 'that break the release before': 0 });
  });
});
