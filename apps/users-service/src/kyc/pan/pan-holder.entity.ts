import { ViewColumn, ViewEntity } from 'typeorm';

/** A user with a verified PAN. A view, for the joins of domains above this one; a migration makes it. */
@ViewEntity({ name: 'pan_holders', synchronize: false })
export class PanHolder {
  @ViewColumn() userId: string;
}
