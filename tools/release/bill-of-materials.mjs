// What an image consists of, in the words of CycloneDX: the packages of a service, and what runs it.

/** PACKAGE: what dpkg says of it. */
function debianComponent(text) {
  const field = (name) => new RegExp(`^${name}: (.+)$`, 'm').exec(text)[1];
  const [name, version] = [field('Package'), field('Version')];
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

function nodeComponent(version) {
  const purl = `pkg:generic/node@${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version, purl, cpe };
}

/**
 * BILL, that of a service's packages, for its image of VERSION: with NODE, the version of Node.js, and PACKAGES, what dpkg says of each
 * Debian package in it.
 */
export function billOfImage(bill, { version, node, packages }) {
  const more = [nodeComponent(node), ...packages.map(debianComponent)];
  const service = { ...bill.metadata.component, version };
  // npm does not have it
  delete service.purl;
  const dependencies = bill.dependencies.map(({ ref, dependsOn }) =>
    ref === service['bom-ref']
      ? { ref, dependsOn: [...dependsOn, ...more.map((component) => component['bom-ref'])] }
      : { ref, dependsOn },
  );
  return {
    ...bill,
    metadata: { ...bill.metadata, component: service },
    components: [...bill.components, ...more],
    dependencies,
  };
}
