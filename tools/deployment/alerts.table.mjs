// Situations in which each alert fires or not, for promtool.
import {
  BASE_BACKUP,
  answersOfProvider,
  archiver,
  auditHead,
  calls,
  checks,
  counter,
  mails,
  rounds,
  sends,
  shed,
  steps,
  stores,
  users,
} from './alert-series.mjs';
import { OBJECTIVE_CASES } from './objectives.table.mjs';

/** Cases of each alert, the first of which fires. A case with labels fires at its minute with them, another does not fire. */
export const ALERT_CASES = {
  ...OBJECTIVE_CASES,
  ServiceDown: [
    {
      series: [
        [`up{${users},pod="a"}`, '1x20'],
        [`up{${users},pod="b"}`, '1x5 0x15'],
      ],
      at: 10,
      labels: {},
    },
    { series: [[`up{${users},pod="a"}`, '1x5 0x0 1x15']], at: 10 },
  ],
  ServiceAbsent: [
    {
      series: [[`up{namespace="fd",job="master-service"}`, '1x20']],
      at: 10,
      labels: { job: 'users-service', namespace: undefined },
    },
    {
      series: [
        [`up{namespace="fd",job="master-service"}`, '1x20'],
        [`up{${users}}`, '1x20'],
      ],
      at: 10,
    },
    // every replica is there, and none answers
    {
      series: [
        [`up{namespace="fd",job="master-service"}`, '1x20'],
        [`up{${users},pod="a"}`, '1x5 0x15'],
        [`up{${users},pod="b"}`, '1x5 0x15'],
      ],
      at: 10,
      labels: {},
    },
    {
      series: [
        [`up{namespace="fd",job="master-service"}`, '1x20'],
        [`up{${users},pod="a"}`, '1x20'],
        [`up{${users},pod="b"}`, '1x5 0x15'],
      ],
      at: 10,
    },
  ],
  RequestsShed: [
    { series: [calls('status="200"', '0+90x20'), shed('0+10x20')], at: 15, labels: {} },
    { series: [calls('status="200"', '0+90x20'), shed('0x20')], at: 15 },
    // one of six calls a minute
    { series: [calls('status="200"', '0+5x20'), shed('0+1x20')], at: 15 },
  ],
  EventLoopBlocked: [
    {
      series: [[`nodejs_eventloop_lag_p99_seconds{${users},pod="a"}`, '0.5x20']],
      at: 15,
      labels: { pod: 'a' },
    },
    { series: [[`nodejs_eventloop_lag_p99_seconds{${users},pod="a"}`, '0.5x2 0.05x20']], at: 15 },
  ],
  MemoryHigh: [
    {
      series: [[`process_resident_memory_bytes{${users},pod="a"}`, '450000000x30']],
      at: 25,
      labels: { pod: 'a' },
    },
    { series: [[`process_resident_memory_bytes{${users},pod="a"}`, '250000000x30']], at: 25 },
  ],
  ManyAreRateLimited: [
    {
      series: [shed('0x500'), calls('status="200"', '0+60x40'), calls('status="429"', '0+30x40')],
      at: 30,
      labels: {},
    },
    { series: [shed('0x500'), calls('status="200"', '0+60x40'), calls('status="429"', '0+1x40')], at: 30 },
    { series: [shed('0x500'), calls('status="429"', '0+1x40')], at: 30 },
  ],
  OtpSendsRefused: [
    { series: [sends('sent', '0+8x30'), sends('refused', '0+2x30')], at: 25, labels: { job: undefined } },
    { series: [sends('sent', '0+100x30'), sends('refused', '0+1x30')], at: 25 },
    { series: [sends('refused', '0x10 1x20')], at: 18 },
  ],
  SmsProviderMisconfigured: [
    {
      series: counter('sms_sends_total', 'provider="msg91",outcome="misconfigured"', '0x5 1x10'),
      at: 8,
      labels: { job: undefined, provider: 'msg91' },
    },
    { series: counter('sms_sends_total', 'provider="msg91",outcome="misconfigured"', '0x15'), at: 8 },
  ],
  OtpSendsSuspended: [
    {
      series: counter('otp_sends_suspended_total', 'by="prefix"', '0x5 100x10'),
      at: 8,
      labels: { job: undefined, by: 'prefix' },
    },
    { series: counter('otp_sends_suspended_total', 'by="prefix"', '0x5 10x10'), at: 8 },
  ],
  OtpGuessing: [
    { series: [checks('wrong', '0+8x60'), checks('right', '0+2x60')], at: 50, labels: { job: undefined } },
    { series: [checks('wrong', '0+2x60'), checks('right', '0+8x60')], at: 50 },
    { series: [checks('wrong', '0x20 1x40')], at: 50 },
  ],
  RefreshTokensReused: [
    { series: counter('refresh_token_reuses_total', '', '0x5 20x10'), at: 8, labels: { job: undefined } },
    { series: counter('refresh_token_reuses_total', '', '0x5 2x10'), at: 8 },
  ],
  ProviderCircuitOpen: [
    {
      series: counter('provider_circuit_open', 'provider="bank"', '1x10'),
      at: 8,
      labels: { job: undefined, provider: 'bank' },
    },
    { series: counter('provider_circuit_open', 'provider="bank"', '1x1 0x10'), at: 8 },
  ],
  ProviderMisconfigured: [
    {
      series: counter(
        'provider_call_duration_seconds_count',
        'provider="setu-bank",operation="x",outcome="misconfigured"',
        '0x5 1x10',
      ),
      at: 8,
      labels: { job: undefined, provider: 'setu-bank' },
    },
    {
      series: counter(
        'provider_call_duration_seconds_count',
        'provider="setu-bank",operation="x",outcome="misconfigured"',
        '1x40',
      ),
      at: 35,
    },
  ],
  ProviderContractDrift: [
    {
      series: counter('provider_contract_drift_total', 'provider="setu-bank",operation="x"', '0x5 1x10'),
      at: 8,
      labels: { job: undefined, provider: 'setu-bank', operation: 'x' },
    },
    {
      series: counter('provider_contract_drift_total', 'provider="setu-bank",operation="x"', '1x60'),
      at: 55,
    },
  ],
  ProviderSlow: [
    {
      series: answersOfProvider('bank', '0+5x40', '0+10x40'),
      at: 35,
      labels: { job: undefined, provider: 'bank' },
    },
    { series: answersOfProvider('bank', '0+10x40', '0+10x40'), at: 35 },
    // one call a minute, which takes long
    { series: answersOfProvider('bank', '0x40', '0+1x40'), at: 35 },
    // normally takes seconds
    { series: answersOfProvider('setu-pan', '0x40', '0+10x40'), at: 35 },
  ],
  MailNotTaken: [
    { series: [mails('taken', '0+5x30'), mails('timeout', '0+5x30')], at: 25, labels: { job: undefined } },
    { series: [mails('taken', '0+5x30'), mails('address-refused', '0+5x30')], at: 25 },
    { series: [mails('timeout', '0x15 1x15')], at: 25 },
  ],
  CatalogueUnconfirmed: [
    {
      series: [['catalogue_confirmed_timestamp_seconds{namespace="fd",pod="a"}', '0x30']],
      at: 20,
      labels: { job: undefined, pod: 'a' },
    },
    { series: [['catalogue_confirmed_timestamp_seconds{namespace="fd",pod="a"}', '0+60x30']], at: 20 },
  ],
  CatalogueRevisionsDiffer: [
    {
      series: [
        ['catalogue_revision{namespace="fd",pod="a"}', '7x10'],
        ['catalogue_revision{namespace="fd",pod="b"}', '8x10'],
      ],
      at: 8,
      labels: { job: undefined },
    },
    {
      series: [
        ['catalogue_revision{namespace="fd",pod="a"}', '7x4 8x6'],
        ['catalogue_revision{namespace="fd",pod="b"}', '7x5 8x5'],
      ],
      at: 8,
    },
  ],
  StoreFails: [
    { series: [stores('ok', '0+60x30'), stores('failed', '0+30x30')], at: 20, labels: { store: 'redis' } },
    { series: [stores('ok', '0+600x30'), stores('failed', '0+1x30')], at: 20 },
    { series: [stores('failed', '0x10 1x20')], at: 20 },
  ],
  DatabasePoolExhausted: [
    {
      series: [
        [`database_pool_waiting{${users},pod="a"}`, '3x10'],
        [`database_pool_waiting{${users},pod="b"}`, '1x10'],
      ],
      at: 8,
      labels: {},
    },
    {
      series: [
        [`database_pool_waiting{${users},pod="a"}`, '3x10'],
        [`database_pool_waiting{${users},pod="b"}`, '0x10'],
      ],
      at: 8,
    },
  ],
  OtpConversionLow: [
    { series: [sends('sent', '0+10x120'), checks('right', '0+2x120')], at: 110, labels: { job: undefined } },
    { series: [sends('sent', '0+10x120'), checks('right', '0+8x120')], at: 110 },
    { series: [sends('sent', '0+1x120'), checks('right', '0x120')], at: 110 },
  ],
  JourneyStepFails: [
    {
      series: [steps('FAILED', '0+2x90'), steps('DONE', '0+1x90')],
      at: 85,
      labels: { job: undefined, step: 'BANK', issuer: 'kaveri' },
    },
    { series: [steps('FAILED', '0+1x90'), steps('DONE', '0+9x90')], at: 85 },
    { series: [steps('FAILED', '0x60 3x30'), steps('DONE', '0x90')], at: 85 },
  ],
  BackgroundWorkFails: [
    {
      series: [rounds('failed', '0+50x40'), rounds('ok', '0+10x40')],
      at: 30,
      labels: { job: undefined, work: 'bank' },
    },
    { series: [rounds('failed', '0+1x40'), rounds('ok', '0+59x40')], at: 30 },
    // two rounds of a rare worker
    { series: [rounds('failed', '0x19 1x4 2x40'), rounds('ok', '0x60')], at: 30 },
  ],
  BankAccountNotWithdrawn: [
    {
      series: counter('bank_withdrawals_total', 'outcome="abandoned"', '0x5 1x10'),
      at: 8,
      labels: { job: undefined },
    },
    { series: counter('bank_withdrawals_total', 'outcome="withdrawn"', '0x5 1x10'), at: 8 },
  ],
  PartitionsRunOut: [
    { series: counter('partitions_ahead_seconds', '', '864000x90'), at: 80, labels: { job: undefined } },
    { series: counter('partitions_ahead_seconds', '', '8640000x90'), at: 80 },
  ],
  AuditTrailForged: [
    { series: counter('audit_events_forged_total', '', '0x5 1x10'), at: 8, labels: { job: undefined } },
    { series: counter('audit_events_forged_total', '', '0x15'), at: 8 },
  ],
  AuditTrailWaits: [
    { series: counter('audit_unsealed_age_seconds', '', '600x20'), at: 15, labels: { job: undefined } },
    { series: counter('audit_unsealed_age_seconds', '', '2x20'), at: 15 },
  ],
  AuditCallsUnrecorded: [
    {
      series: counter('audit_calls_unrecorded_total', 'outcome="ok"', '0x5 1x10'),
      at: 8,
      labels: { job: undefined },
    },
    { series: counter('audit_calls_unrecorded_total', 'outcome="ok"', '0x15'), at: 8 },
  ],
  AuditHeadCheckFailed: [
    {
      series: [['kube_job_status_failed{namespace="fd",job_name="users-service-audit-head-1"}', '1x10']],
      at: 8,
      labels: { job: undefined, job_name: 'users-service-audit-head-1' },
    },
    { series: [['kube_job_status_failed{namespace="fd",job_name="other"}', '1x10']], at: 8 },
  ],
  AuditHeadUnchecked: [
    {
      series: [auditHead('created', '0x300'), auditHead('status_last_successful_time', '60x300')],
      at: 250,
      labels: { job: undefined },
    },
    // has never succeeded
    { series: [auditHead('created', '0x300')], at: 250, labels: { job: undefined } },
    {
      series: [auditHead('created', '0x300'), auditHead('status_last_successful_time', '0+60x300')],
      at: 250,
    },
    // created 50 minutes ago
    { series: [auditHead('created', '_x200 12000x100')], at: 250 },
  ],
  PostgresArchiveFails: [
    { series: archiver('100x25', '160 220 280x25'), at: 15, labels: { job: undefined } },
    // retried successfully
    { series: archiver('100 100 300x25', '160 220 280x25'), at: 15 },
  ],
  PostgresBackupOld: [
    { series: [[BASE_BACKUP, '0x2500']], at: 2_400, labels: { job: undefined } },
    { series: [[BASE_BACKUP, '0x1400 84000x1200']], at: 2_400 },
  ],
};
