import { Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { UNKNOWN_ROUTE } from '@fd/envelope';
import { isPublic } from '@fd/platform';
import { AUDIT } from './audited-calls.js';

/** Refuses to start with a route that needs a session and does not say what the audit trail records of it. */
@Injectable()
export class AuditedRoutes implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly reflector: Reflector,
  ) {}

  /** @throws Error that names the handler */
  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers())
      if (metatype) this.check(metatype as Type<object>);
  }

  private check(controller: Type<object>): void {
    const prototype = controller.prototype as Readonly<Record<string, () => unknown>>;
    for (const name of this.scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name]!;
      const path: unknown = Reflect.getMetadata(PATH_METADATA, handler);
      if (path === undefined || path === UNKNOWN_ROUTE) continue;
      if (isPublic(this.reflector, { getHandler: () => handler, getClass: <T>() => controller as Type<T> }))
        continue;
      if (!Reflect.hasMetadata(AUDIT, handler))
        throw new Error(`${controller.name}.${name} has neither @Audited() nor @Unaudited()`);
    }
  }
}
