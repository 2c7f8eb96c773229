import { AppError, type Refusal } from './app-error.js';
import { GeneralErrors } from './catalogue/general.js';
import { PanErrors } from './catalogue/pan.js';
import { readAll, readEach } from './read-all.js';

const refusalsOf = (work: () => unknown): readonly Refusal[] => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.refusals;
    throw error;
  }
  return [];
};
const refuse = (field: string): never => {
  throw GeneralErrors.fieldInvalid({ field });
};

describe('readAll', () => {
  it('returns the values of all fields', () => {
    expect(readAll<{ a: number; b: string | null }>({ a: () => 1, b: () => null })).toEqual({
      a: 1,
      b: null,
    });
  });

  it('throws one error with the refusals of all fields in their order', () => {
    const read = () =>
      readAll({
        name: () => refuse('name'),
        age: () => 7,
        pan: () => {
          throw new AppError([
            { error: PanErrors.missing, field: 'pan' },
            { error: PanErrors.malformed, field: 'pan' },
          ]);
        },
      });
    expect(refusalsOf(read).map(({ error, field }) => [error.code, field])).toEqual([
      [GeneralErrors.fieldInvalid.code, 'name'],
      [PanErrors.missing.code, 'pan'],
      [PanErrors.malformed.code, 'pan'],
    ]);
  });

  it('throws a defect at once', () => {
    expect(() =>
      readAll({
        a: () => refuse('a'),
        b: () => {
          throw new TypeError('a defect');
        },
      }),
    ).toThrow(TypeError);
  });
});

describe('readEach', () => {
  it('returns the values in the order of the items', () => {
    expect(readEach([1, 2, 3], (item, index) => item * 10 + index)).toEqual([10, 21, 32]);
  });

  it('reports each refused item', () => {
    const read = () => readEach(['a', 'b', 'c'], (item) => (item === 'b' ? item : refuse(item)));
    expect(refusalsOf(read).map(({ field }) => field)).toEqual(['a', 'c']);
  });
});
