import { breaksFormer, type SchemaShape } from './schema-shape.config.js';

const text = { type: 'text', isOptional: true };
const required = { type: 'text', isOptional: false };

function shape(columns: Record<string, typeof text>, rules: Record<string, string> = {}): SchemaShape {
  return { columns: new Map(Object.entries(columns)), rules: new Map(Object.entries(rules)) };
}

describe('changes of a schema that break the former release', () => {
  const before = shape({ 'users.id': required, 'users.email': text }, { 'users pk': 'PRIMARY KEY (id)' });
  const changed = (columns: object, rules: object = {}): string[] =>
    breaksFormer(
      before,
      shape(
        { ...Object.fromEntries(before.columns), ...columns },
        { ...Object.fromEntries(before.rules), ...rules },
      ),
    );

  it('reports removed, renamed and retyped columns', () => {
    expect(breaksFormer(before, shape({ 'users.id': required }))).toEqual(['users.email is gone']);
    expect(breaksFormer(before, shape({ 'users.id': required, 'users.mail': text }))).toEqual([
      'users.email is gone',
    ]);
    expect(changed({ 'users.id': { type: 'uuid', isOptional: false } })).toEqual([
      'users.id was text and is uuid',
    ]);
  });

  it('reports new required columns', () => {
    expect(changed({ 'users.email': required })).toEqual(['users.email may no longer be left out']);
    expect(changed({ 'users.country': required })).toEqual([
      'users.country must be named by writers that do not know it',
    ]);
  });

  it('reports new constraints of former tables, for review', () => {
    expect(changed({}, { 'users uq_email': 'UNIQUE (email)' })).toEqual([
      'users uq_email may refuse values that were accepted',
    ]);
    expect(changed({}, { 'users pk': 'PRIMARY KEY (id, email)' })).toEqual([
      'users pk may refuse values that were accepted',
    ]);
  });

  it('accepts new tables and optional columns', () => {
    expect(
      changed({ 'users.country': text, 'orders.id': required }, { 'orders pk': 'PRIMARY KEY (id)' }),
    ).toEqual([]);
  });
});
