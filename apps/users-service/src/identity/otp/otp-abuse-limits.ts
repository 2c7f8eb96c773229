import { Injectable, Logger } from '@nestjs/common';
import { countedAddress } from '@fd/platform';
import { Counter, Registry } from 'prom-client';
import { OtpConfig } from '../../config/index.js';
import { KeyedHash } from '../../core/index.js';
import type { OtpSubject } from './otp-code.js';

/** A count of sends within an hour that many phones share, with its limits. */
export interface SharedCount {
  readonly by: 'address' | 'prefix' | 'service';
  readonly key: string;
  /** 0: none. */
  readonly maxSends: number;
  /** Of the codes sent, how many have to be verified; 0: none. */
  readonly minPercent: number;
}

/**
 * Limits sends against SMS pumping: by client address, by number prefix (the first seven digits, a range that an attacker
 * buys to collect the termination fees of messages), and for the whole service. Refuses only as the settings say.
 */
@Injectable()
export class OtpAbuseLimits {
  private readonly logger = new Logger(OtpAbuseLimits.name);
  private readonly suspensions: Counter<'by'>;

  constructor(
    private readonly config: OtpConfig,
    private readonly hash: KeyedHash,
    registry: Registry,
  ) {
    this.suspensions = new Counter({
      name: 'otp_sends_suspended_total',
      help: 'Sends refused because of their address, their number prefix, or all sends of the service',
      labelNames: ['by'],
      registers: [registry],
    });
  }

  /** What a send is counted under besides its subject; what many senders share comes last. Mails have no such limits. */
  countsOf({ value: phone, ip }: OtpSubject): SharedCount[] {
    if (ip === undefined) return [];
    const { sendsPerIpHour, sendsPerPrefixHour, sendsPerHour, minConversionPercent } = this.config;
    const counts: SharedCount[] = [
      { by: 'address', key: this.keyOf('ip', countedAddress(ip)), maxSends: sendsPerIpHour, minPercent: 0 },
      {
        by: 'prefix',
        key: this.keyOf('prefix', phone.slice(0, 7)),
        maxSends: sendsPerPrefixHour,
        minPercent: minConversionPercent,
      },
    ];
    if (sendsPerHour > 0)
      counts.push({ by: 'service', key: 'shared:service', maxSends: sendsPerHour, minPercent: 0 });
    return counts;
  }

  /** Counts a send that was refused by a shared limit. */
  noteSuspended(by: SharedCount['by']): void {
    this.suspensions.inc({ by });
    this.logger.warn({ msg: 'sends are suspended', by });
  }

  private keyOf(kind: 'ip' | 'prefix', value: string): string {
    return `shared:${kind}:${this.hash.of(`watch-${kind}`, value).toString('base64url', 0, 12)}`;
  }
}
