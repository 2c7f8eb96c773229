import { Injectable, Logger } from '@nestjs/common';
import {
  countedAddress,
  countedNetwork,
  countedProvider,
  counterFromZero,
  type KnownCounter,
} from '@fd/platform';
import { Registry } from 'prom-client';
import { OtpConfig } from '../../config/index.js';
import { KeyedHash } from '../../core/index.js';
import type { OtpSubject } from './otp-code.js';

/** A shared hourly count of sends with its limits; 0 means no limit. */
export interface SharedCount {
  /** `network`: one network's sends, to one number prefix or to all. */
  readonly by: 'address' | 'network' | 'prefix' | 'service';
  readonly key: string;
  readonly maxSends: number;
  /** Sends of codes that were not verified. */
  readonly maxUnverified: number;
  /** Minimum share of verified codes. */
  readonly minPercent: number;
}

/**
 * Of the sends that a number prefix, or the service, may have in an hour, the share that one network may leave
 * unverified: fifty use it up.
 */
const NETWORK_SHARE = 0.02;
/** Share of one address, which is refused before others of its network. */
const ADDRESS_SHARE = NETWORK_SHARE / 4;
/** Share of all networks of one internet provider, which may assign fifty to one customer. */
const PROVIDER_SHARE = 5 * NETWORK_SHARE;
/** Minimum of a share, so that small limits do not affect households. */
const MIN_UNVERIFIED = 10;

/**
 * Limits sends against SMS pumping: by client address, by number prefix (the first seven digits, a range that an attacker
 * buys to collect the termination fees of messages), and for the whole service. The settings decide what is refused.
 *
 * A prefix is 100,000 phones, so neither one network nor all networks of one provider can cause its suspension: the
 * address is suspended first, and a network and a provider can use only a share of the prefix's sends. The suspension
 * of a prefix lasts five minutes at first, and grows only while such sends continue. The same share of the service's
 * sends limits one network, five times that share all networks of one provider, and a quarter of it one address.
 */
@Injectable()
export class OtpAbuseLimits {
  private readonly logger = new Logger(OtpAbuseLimits.name);
  private readonly suspensions: KnownCounter<Pick<SharedCount, 'by'>>;

  constructor(
    private readonly config: OtpConfig,
    private readonly hash: KeyedHash,
    registry: Registry,
  ) {
    this.suspensions = counterFromZero(registry, {
      name: 'otp_sends_suspended_total',
      help: 'Refused sends by the reason: address, network, number prefix, or all sends of the service',
      series: [{ by: 'address' }, { by: 'network' }, { by: 'prefix' }, { by: 'service' }],
    });
  }

  /** The widest last. Mails have none; calls without an address count as those of one. */
  countsOf({ purpose, value: phone, ip }: OtpSubject): SharedCount[] {
    if (purpose !== 'login') return [];
    const {
      sendsPerIpHour,
      sendsPerPrefixHour,
      sendsPerHour,
      minConversionPercent: minPercent,
    } = this.config;
    const prefix = phone.slice(0, 7);
    const keys = {
      address: this.keyOf('ip', countedAddress(ip)),
      network: this.keyOf('network', `${countedNetwork(ip)} ${prefix}`),
      provider: this.keyOf('network', `${countedProvider(ip)} ${prefix}`),
      prefix: this.keyOf('prefix', prefix),
    };
    const counts: SharedCount[] = [
      {
        by: 'address',
        key: keys.address,
        maxSends: sendsPerIpHour,
        maxUnverified: shareOf(sendsPerHour, ADDRESS_SHARE),
        minPercent,
      },
      networkShare(keys.network, sendsPerPrefixHour, NETWORK_SHARE),
      { by: 'prefix', key: keys.prefix, maxSends: sendsPerPrefixHour, maxUnverified: 0, minPercent },
      // after the prefix, because the scripts know its position
      networkShare(keys.provider, sendsPerPrefixHour, PROVIDER_SHARE),
    ];
    if (sendsPerHour > 0)
      counts.push(
        networkShare(this.keyOf('network', countedNetwork(ip)), sendsPerHour, NETWORK_SHARE),
        networkShare(this.keyOf('network', countedProvider(ip)), sendsPerHour, PROVIDER_SHARE),
        { by: 'service', key: 'shared:service', maxSends: sendsPerHour, maxUnverified: 0, minPercent: 0 },
      );
    return counts;
  }

  noteSuspended(by: SharedCount['by']): void {
    this.suspensions.inc({ by });
    this.logger.warn({ msg: 'sends are suspended', by });
  }

  private keyOf(kind: 'ip' | 'network' | 'prefix', value: string): string {
    return `shared:${kind}:${this.hash.digest(`watch-${kind}`, value).toString('base64url', 0, 12)}`;
  }
}

/** The sends that one network, or all networks of a provider, may leave unverified of an hourly limit. */
const networkShare = (key: string, sendsPerHour: number, share: number): SharedCount => ({
  by: 'network',
  key,
  maxSends: 0,
  maxUnverified: shareOf(sendsPerHour, share),
  minPercent: 0,
});

/** Share of an hourly limit that one network or address may leave unverified; 0 if there is no limit. */
const shareOf = (sendsPerHour: number, share = NETWORK_SHARE): number =>
  sendsPerHour > 0 ? Math.max(MIN_UNVERIFIED, Math.floor(sendsPerHour * share)) : 0;
