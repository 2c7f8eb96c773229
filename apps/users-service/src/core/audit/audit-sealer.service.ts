import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '@fd/platform';
import { Counter, Gauge, Registry } from 'prom-client';
import { Jobs } from '../jobs/jobs.service.js';
import { headText } from './audit-chain.js';
import { AuditChainRepository, type SealedBatch } from './audit-chain.repository.js';
import type { ProvenEvent } from './audit-event.js';

/** How often a sealing replica logs the head, with which a shortened chain is compared. */
const HEAD_LOG_MS = 300_000;

/**
 * Appends recorded events to the chain within seconds. Runs on every replica; a lock lets one work at a time. Logs the
 * head regularly, so that an attacker who truncates the chain would have to change the logs too. Logs what operators
 * did, because a restore of the database loses the latest commands, which must then be repeated.
 */
@Injectable()
export class AuditSealer implements OnModuleInit {
  private readonly logger = new Logger(AuditSealer.name);
  private readonly sealedEvents: Counter;
  private readonly forgedEvents: Counter;
  private readonly age: Gauge;
  /** When this replica last looked for waiting events and the head. */
  private lookedAtMs = 0;
  private loggedHead: { readonly seq: number; readonly atMs: number } = { seq: 0, atMs: 0 };

  constructor(
    private readonly chain: AuditChainRepository,
    private readonly clock: Clock,
    private readonly jobs: Jobs,
    registry: Registry,
  ) {
    const registers = [registry];
    this.sealedEvents = new Counter({
      name: 'audit_events_sealed_total',
      help: 'Events that this replica has sealed into the chain of the audit trail',
      registers,
    });
    this.forgedEvents = new Counter({
      name: 'audit_events_forged_total',
      help: 'Forged events found in the audit trail, not written by the service',
      registers,
    });
    this.age = new Gauge({
      name: 'audit_unsealed_age_seconds',
      help: 'Age of the oldest unsealed event; 0 without any',
      registers,
    });
  }

  onModuleInit(): void {
    const run = (signal: AbortSignal): Promise<void> => this.round(signal);
    this.jobs.poll({ name: 'audit-seal', waiting: 'the audit trail waits', run });
  }

  async sealAll(signal?: AbortSignal): Promise<void> {
    for (let batch = await this.chain.sealNext(); batch; batch = await this.chain.sealNext()) {
      this.note(batch);
      if (!batch.isFull || signal?.aborted) break;
    }
  }

  private async round(signal: AbortSignal): Promise<void> {
    let oldest = await this.chain.oldestWaiting();
    const nowMs = this.clock.machineNow().getTime();
    // without events a round costs one statement instead of six, but the head of another replica is logged too
    if (oldest || nowMs - this.lookedAtMs >= HEAD_LOG_MS) {
      await this.sealAll(signal);
      oldest = await this.chain.oldestWaiting();
    }
    this.age.set(oldest ? Math.max(0, nowMs - oldest.getTime()) / 1_000 : 0);
  }

  private note({ count, forged, byOperators, head }: SealedBatch): void {
    this.sealedEvents.inc(count);
    for (const event of byOperators) this.logger.log({ msg: 'an operator acted', ...loggedFields(event) });
    if (forged > 0) {
      this.forgedEvents.inc(forged);
      this.logger.error({
        msg: 'the audit trail contains events that the service did not record',
        forged,
        seq: head.seq,
      });
    }
    const nowMs = this.clock.machineNow().getTime();
    this.lookedAtMs = nowMs;
    if (head.seq === this.loggedHead.seq || nowMs - this.loggedHead.atMs < HEAD_LOG_MS) return;
    this.loggedHead = { seq: head.seq, atMs: nowMs };
    this.logger.log({ msg: 'head of the audit trail', head: headText(head) });
  }
}

function loggedFields(event: ProvenEvent): Record<string, string | null> {
  const { actor: by, action, outcome, code: reason, subjectUserId: user_id, objectId: object_id } = event;
  return { by, action, outcome, reason, user_id, object_id, occurred_at: event.occurredAt.toISOString() };
}
