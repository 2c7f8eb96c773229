import { RecentReads } from './recent-reads.js';

describe('reads recorded at most once a minute', () => {
  it('covers a repeated read for a minute, unless the clock was set back', () => {
    const reads = new RecentReads(60_000);
    reads.add('a', 1_000);
    expect([999, 1_000, 60_999, 61_000].map((now) => reads.find('a', now))).toEqual([
      undefined,
      1_000,
      1_000,
      undefined,
    ]);
    expect(reads.find('b', 1_000)).toBeUndefined();
  });

  it('drops the oldest of more than 20,000 reads', () => {
    const reads = new RecentReads(60_000);
    for (let i = 0; i <= 20_000; i++) reads.add(`read ${i}`, 1_000);
    expect(['read 0', 'read 1', 'read 20000'].map((read) => reads.find(read, 1_000))).toEqual([
      undefined,
      1_000,
      1_000,
    ]);
  });
});
