import { createHash } from 'node:crypto';
import { canonicalJson } from '@fd/contracts';
import { formatIndiaTime } from '../../dates/india-time.js';
import type { Issuer, Vehicle } from '../catalogue.js';
import { ISSUER_FIELDS, VEHICLE_FIELDS } from '../files/issuer-file.schema.js';

export interface CatalogueDiff {
  /** A line for each difference; empty without any. */
  readonly lines: readonly string[];
  /** Issuers to write: new ones, and ones with changed fields. */
  readonly issuers: readonly Issuer[];
  readonly vehicles: readonly Vehicle[];
  /** Rates of known issuers that are new or changed, in the words of a line, with their first moment. */
  readonly rates: readonly { readonly line: string; readonly effectiveAt: Date }[];
  readonly removedIssuerIds: readonly string[];
  readonly removedVehicleIds: readonly string[];
}

/** Compares two catalogues by the ids of issuers and vehicles, each field with its old and new value. */
export function diffCatalogues(before: readonly Issuer[], after: readonly Issuer[]): CatalogueDiff {
  const oldIssuers = new Map(before.map((issuer) => [issuer.issuerId, issuer]));
  const oldVehicles = vehiclesOf(before);
  const newIssuerIds = new Set(after.map((issuer) => issuer.issuerId));
  const newVehicles = vehiclesOf(after);
  const removedIssuers = before.filter((issuer) => !newIssuerIds.has(issuer.issuerId));
  const slugs = new Map([...before, ...after].map((issuer) => [issuer.issuerId, issuer.slug]));
  const removedVehicles = [...oldVehicles.values()].filter(({ vehicleId }) => !newVehicles.has(vehicleId));

  const lines: string[] = [];
  const rates: { line: string; effectiveAt: Date }[] = [];
  for (const issuer of after) {
    const old = oldIssuers.get(issuer.issuerId);
    if (!old) lines.push(`+ ${issuer.slug}: new issuer ${issuer.code} with ${count(issuer)}`);
    else lines.push(...changesOf(old, issuer, ISSUER_FIELDS).map((change) => `~ ${issuer.slug}: ${change}`));
    for (const vehicle of issuer.vehicles) {
      const oldVehicle = oldVehicles.get(vehicle.vehicleId);
      if (old && oldVehicle?.rate !== vehicle.rate)
        rates.push({ line: `${issuer.slug}: ${describe(vehicle)}`, effectiveAt: vehicle.effectiveAt });
      if (oldVehicle) {
        const changes = changesOf(oldVehicle, vehicle, VEHICLE_FIELDS);
        lines.push(...changes.map((change) => `~ ${issuer.slug}: ${describe(vehicle)}: ${change}`));
      } else if (old) lines.push(`+ ${issuer.slug}: ${describe(vehicle)} at ${vehicle.rate}`);
    }
  }
  for (const vehicle of removedVehicles) {
    if (!newIssuerIds.has(vehicle.issuerId)) continue;
    lines.push(`- ${slugs.get(vehicle.issuerId)}: ${describe(vehicle)} at ${vehicle.rate}`);
  }
  for (const issuer of removedIssuers) {
    lines.push(`- ${issuer.slug}: issuer ${issuer.code} with ${count(issuer)}`);
  }

  return {
    lines,
    rates,
    issuers: after.filter((issuer) => isChanged(oldIssuers.get(issuer.issuerId), issuer, ISSUER_FIELDS)),
    vehicles: [...newVehicles.values()].filter((vehicle) =>
      isChanged(oldVehicles.get(vehicle.vehicleId), vehicle, VEHICLE_FIELDS),
    ),
    removedIssuerIds: removedIssuers.map((issuer) => issuer.issuerId),
    removedVehicleIds: removedVehicles.map((vehicle) => vehicle.vehicleId),
  };
}

/** SHA-256, in hex, of all fields of a catalogue, independent of the order of reading. */
export function checksumOf(issuers: readonly Issuer[]): string {
  const texts = issuers.flatMap((issuer) => [
    textOf(issuer.issuerId, issuer, ISSUER_FIELDS),
    ...issuer.vehicles.map((vehicle) => textOf(vehicle.vehicleId, vehicle, VEHICLE_FIELDS)),
  ]);
  return createHash('sha256').update(JSON.stringify(texts.sort())).digest('hex');
}

function vehiclesOf(issuers: readonly Issuer[]): ReadonlyMap<string, Vehicle> {
  return new Map(issuers.flatMap((issuer) => issuer.vehicles.map((vehicle) => [vehicle.vehicleId, vehicle])));
}

type FieldsOf<T> = { readonly [Field in keyof T]?: string };

function textOf<T extends object>(id: string, of: T, fields: FieldsOf<T>): string {
  return JSON.stringify([id, ...Object.keys(fields).map((field) => exact(of[field as keyof T]))]);
}

function isChanged<T extends object>(old: T | undefined, now: T, fields: FieldsOf<T>): boolean {
  return old === undefined || changesOf(old, now, fields).length > 0;
}

function changesOf<T extends object>(old: T, now: T, fields: FieldsOf<T>): string[] {
  return Object.entries(fields).flatMap(([field, name]) => {
    const [from, to] = [old[field as keyof T], now[field as keyof T]];
    return exact(from) === exact(to) ? [] : [`${String(name)} ${shown(from)} -> ${shown(to)}`];
  });
}

const count = ({ vehicles }: Issuer): string =>
  `${vehicles.length} ${vehicles.length === 1 ? 'vehicle' : 'vehicles'}`;

function describe(vehicle: Vehicle): string {
  const { payoutFrequency, minTenure, maxTenure, minInvestment, maxInvestment, vehicleId } = vehicle;
  return `${payoutFrequency} ${minTenure} to ${maxTenure} days, ${minInvestment} to ${maxInvestment} rupees (${vehicleId})`;
}

/** A field's value as text for comparisons. PostgreSQL reorders the keys of a JSON object. */
const exact = (value: unknown): string =>
  canonicalJson(value instanceof Date ? value.toISOString() : (value ?? null));

/** A field's value as text for people. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return value === '' || value === 'nothing' ? `"${value}"` : value;
  if (value instanceof Date) return formatIndiaTime(value);
  if (Array.isArray(value)) return value.map(shown).join(', ');
  if (typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return entries.map(([key, part]) => `${key} ${shown(part)}`).join(', ');
  }
  return JSON.stringify(value);
}
