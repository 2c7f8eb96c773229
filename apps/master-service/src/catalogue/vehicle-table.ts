import type { Vehicle, VehicleList } from './catalogue.js';

/** One field of all vehicles, by the number of the vehicle's row. */
interface Column {
  add(value: unknown): void;
  /** Frees the data that only insertion needs. */
  seal(): void;
  at(row: number): unknown;
}

/**
 * Stores each value once, and its number for each row. A field seldom has more than some hundred values, so a row needs one or
 * two bytes.
 */
class ValueColumn implements Column {
  private readonly values: unknown[] = [];
  private readonly numberOf = new Map<unknown, number>();
  private numbers: Uint8Array | Uint16Array | Uint32Array = new Uint8Array(1_024);
  private count = 0;

  add(value: unknown): void {
    const key = value instanceof Date ? value.getTime() : value;
    const number = this.numberOf.get(key) ?? this.values.push(value) - 1;
    this.numberOf.set(key, number);
    if (number >= 2 ** (8 * this.numbers.BYTES_PER_ELEMENT)) {
      this.numbers = new (number < 2 ** 16 ? Uint16Array : Uint32Array)(this.numbers);
    }
    if (this.count === this.numbers.length) this.resize(2 * this.count);
    this.numbers[this.count] = number;
    this.count += 1;
  }

  seal(): void {
    this.numberOf.clear();
    this.resize(this.count);
  }

  at(row: number): unknown {
    return this.values[this.numbers[row]!];
  }

  private resize(length: number): void {
    const { numbers } = this;
    this.numbers = new (numbers.constructor as Uint8ArrayConstructor)(length);
    this.numbers.set(numbers.subarray(0, length));
  }
}

const UUID_BYTES = 16;

/** Unique ids as bytes, a third of the size of text. */
class UuidColumn implements Column {
  private bytes = Buffer.alloc(1_024 * UUID_BYTES);
  private count = 0;

  add(uuid: string): void {
    const from = this.count * UUID_BYTES;
    if (from === this.bytes.length) this.bytes = Buffer.concat([this.bytes], 2 * from);
    this.bytes.write(uuid.replaceAll('-', ''), from, 'hex');
    this.count += 1;
  }

  seal(): void {
    this.bytes = Buffer.concat([this.bytes], this.count * UUID_BYTES);
  }

  at(row: number): string {
    const hex = this.bytes.toString('hex', row * UUID_BYTES, (row + 1) * UUID_BYTES);
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
}

/** The storage of each field; the compiler requires one for a new field. */
const KINDS: Readonly<Record<keyof Vehicle, new () => Column>> = {
  vehicleId: UuidColumn,
  issuerId: ValueColumn,
  productId: ValueColumn,
  productType: ValueColumn,
  details: ValueColumn,
  issuerCommission: ValueColumn,
  selfCommission: ValueColumn,
  rank: ValueColumn,
  payoutFrequency: ValueColumn,
  rate: ValueColumn,
  minTenure: ValueColumn,
  maxTenure: ValueColumn,
  minInvestment: ValueColumn,
  maxInvestment: ValueColumn,
  tenureLabel: ValueColumn,
  isSeniorOnly: ValueColumn,
  isWomenOnly: ValueColumn,
  isTaxSaver: ValueColumn,
  hasEarlyWithdrawal: ValueColumn,
  isVisible: ValueColumn,
  lockInPeriod: ValueColumn,
  effectiveAt: ValueColumn,
  ineffectiveAt: ValueColumn,
};
const FIELDS = Object.keys(KINDS) as (keyof Vehicle)[];

/** A vehicle that reads each field from its column on access; it lives for a request. */
class VehicleRow {
  constructor(
    readonly columns: readonly Column[],
    readonly row: number,
  ) {}
}
for (const [index, field] of FIELDS.entries()) {
  Object.defineProperty(VehicleRow.prototype, field, {
    get(this: VehicleRow) {
      return this.columns[index]!.at(this.row);
    },
  });
}

/** The vehicles of an issuer: consecutive rows. */
class VehicleRows implements VehicleList {
  constructor(
    private readonly columns: readonly Column[],
    private readonly first: number,
    private end: number,
  ) {}

  /** Adds the next row. */
  grow(): void {
    this.end += 1;
  }

  *[Symbol.iterator](): Generator<Vehicle> {
    for (let row = this.first; row < this.end; row += 1) yield this.at(row);
  }

  filter(test: (vehicle: Vehicle) => boolean): Vehicle[] {
    const passed: Vehicle[] = [];
    for (let row = this.first; row < this.end; row += 1) {
      const vehicle = this.at(row);
      if (test(vehicle)) passed.push(vehicle);
    }
    return passed;
  }

  private at(row: number): Vehicle {
    // its fields are defined above by name, which the compiler does not see
    return new VehicleRow(this.columns, row) as unknown as Vehicle;
  }
}

/**
 * The vehicles of a catalogue in columns: as objects, those of 5,000 issuers (246,000) take 168 MiB, which slow down every full
 * garbage collection.
 */
export class VehicleTable {
  private readonly columns = FIELDS.map((field) => new KINDS[field]());
  private readonly rows = new Map<string, VehicleRows>();
  private count = 0;

  /** Adds a vehicle; those of an issuer must be added together. */
  add(vehicle: Vehicle): void {
    for (const [index, field] of FIELDS.entries()) this.columns[index]!.add(vehicle[field]);
    const { issuerId } = vehicle;
    if (!this.rows.has(issuerId))
      this.rows.set(issuerId, new VehicleRows(this.columns, this.count, this.count));
    this.rows.get(issuerId)!.grow();
    this.count += 1;
  }

  /** Ends insertion. */
  seal(): void {
    for (const column of this.columns) column.seal();
  }

  ofIssuer(issuerId: string): VehicleList {
    return this.rows.get(issuerId) ?? [];
  }
}
