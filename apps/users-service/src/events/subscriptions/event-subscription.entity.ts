import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** OPERATOR: by `events pause`. GONE: the address answered 410. */
export type PauseReason = 'OPERATOR' | 'GONE';

export type Signing = 'hmac' | 'ed25519';

/** A partner whose backend learns of events: delivered to its address, if it has one, and kept for it to read. */
@Entity('event_subscriptions')
@Check('ck_event_subscriptions__signing', "signing IN ('hmac', 'ed25519')")
@Check('ck_event_subscriptions__pause_reason', "pause_reason IN ('OPERATOR', 'GONE')")
@Check('ck_event_subscriptions__paused_at', '(paused_at IS NULL) = (pause_reason IS NULL)')
export class EventSubscription {
  @ForeignKey('Partner') @PrimaryColumn('uuid') partnerId: string;
  @Column('text', { nullable: true }) address: string | null;
  @Column('text', { default: 'hmac' }) signing: Signing;
  /** `whsec_` and the key of the HMAC, or `whsk_` and the private key. */
  @Column('text') secretEncrypted: string;
  /** Signs as well, while the partner replaces it. */
  @Column('text', { nullable: true }) formerSecretEncrypted: string | null;
  @Column({ type: 'timestamptz', nullable: true }) pausedAt: Date | null;
  @Column('text', { nullable: true }) pauseReason: PauseReason | null;
  /** While the partner is disabled: it gets no events, and its backend reads none. */
  @Column({ type: 'timestamptz', nullable: true }) disabledAt: Date | null;
  /** Of the partner's latest numbered event. As text. */
  @Column('bigint', { default: 0 }) lastPosition: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) createdAt: Date;
}
