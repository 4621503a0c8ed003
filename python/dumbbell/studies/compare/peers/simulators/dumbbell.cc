// A dumbbell of TCP flows for ns-3.37: `dumbbell3 < NETWORK`, where NETWORK is lines `NAME VALUE` and, for each flow,
// `flow START_S`. Prints `NAME VALUE...` lines. Written from ns-3's manual and its documentation of attributes.
// Every value that a result depends on is set here, because ns-3's defaults mean something else.
#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-helper.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

using namespace ns3;

namespace
{

std::map<std::string, std::string> net;
std::vector<double> starts;

double
Number(const std::string& name)
{
    return std::stod(net.at(name));
}

// Processor time so far (s) and memory at its peak (KiB).
void
Say(const char* what)
{
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const double cpu = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1e-6 * (used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmHWM:")
    {
    }
    status >> word;
    std::cout << what << ' ' << cpu << ' ' << word << std::endl;
}

void
Read()
{
    for (std::string name, value; std::cin >> name >> value;)
    {
        if (name == "flow")
        {
            starts.push_back(std::stod(value));
        }
        else
        {
            net[name] = value;
        }
    }
}

void
Configure()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", StringValue("ns3::TcpNewReno"));
    const auto payload = static_cast<uint32_t>(Number("payload"));
    const auto window = static_cast<uint32_t>(Number("window"));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(payload));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(Number("initial_window")));
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(1));
    // The sender's buffer bounds the window. (A receiver's that is full makes ns-3.37 fail in TcpRateLinux::SkbSent.)
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(window * payload));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(16 * window * payload));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(net.at("sack") == "1"));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::WindowScaling", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::LimitedTransmit", BooleanValue(false));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(Seconds(Number("min_rto"))));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MicroSeconds(1)));
    RngSeedManager::SetSeed(1);
    RngSeedManager::SetRun(static_cast<uint64_t>(Number("seed")));
}

PointToPointHelper
Link(const std::string& rate, double delay)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", DataRateValue(DataRate(std::stoull(rate))));
    link.SetChannelAttribute("Delay", TimeValue(Seconds(delay)));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue("1000000p"));
    return link;
}

// The bottleneck's queue: a queue disc before a device that holds one packet more, so together they are the buffer. (Without
// a queue disc packets are lost above the device, where nothing counts them.)
Ptr<QueueDisc>
Bottleneck(const Ptr<NetDevice>& device)
{
    DynamicCast<PointToPointNetDevice>(device)->GetQueue()->SetMaxSize(QueueSize("1p"));
    const std::string size = std::to_string(std::stoul(net.at("buffer")) - 1) + "p";
    TrafficControlHelper helper;
    if (net.at("queue") != "red")
    {
        helper.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", StringValue(size));
        return helper.Install(device).Get(0);
    }
    helper.SetRootQueueDisc("ns3::RedQueueDisc",
                            "MaxSize", StringValue(size),
                            "MinTh", DoubleValue(Number("min_th")),
                            "MaxTh", DoubleValue(Number("max_th")),
                            "LInterm", DoubleValue(1 / Number("max_p")),
                            "QW", DoubleValue(Number("w_q")),
                            "Gentle", BooleanValue(net.at("gentle") == "1"),
                            "Wait", BooleanValue(net.at("wait") == "1"),
                            "MeanPktSize", UintegerValue(static_cast<uint32_t>(Number("packet"))),
                            "LinkBandwidth", DataRateValue(DataRate(std::stoull(net.at("rate")))),
                            "LinkDelay", TimeValue(Seconds(Number("delay"))));
    return helper.Install(device).Get(0);
}

} // namespace

int
main()
{
    Say("bare");
    Read();
    Configure();
    const uint32_t n = starts.size();
    NodeContainer routers;
    NodeContainer senders;
    NodeContainer receivers;
    routers.Create(2);
    senders.Create(n);
    receivers.Create(n);
    const NetDeviceContainer middle = Link(net.at("rate"), Number("delay")).Install(routers);
    PointToPointHelper access = Link(net.at("access"), Number("access_delay"));
    std::vector<NetDeviceContainer> links;
    for (uint32_t i = 0; i < n; ++i)
    {
        links.push_back(access.Install(senders.Get(i), routers.Get(0)));
        links.push_back(access.Install(routers.Get(1), receivers.Get(i)));
    }
    Ipv4NixVectorHelper nix; // A route is found once for each flow; ns-3's global routing takes far longer to set up.
    InternetStackHelper stack;
    stack.SetRoutingHelper(nix);
    stack.InstallAll();
    const Ptr<QueueDisc> disc = Bottleneck(middle.Get(0));
    Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.252");
    std::vector<Ipv4InterfaceContainer> interfaces;
    addresses.Assign(middle);
    for (auto& link : links)
    {
        addresses.NewNetwork();
        interfaces.push_back(addresses.Assign(link));
    }
    // Giving an address to a device without a queue disc has installed one.
    TrafficControlHelper none;
    for (auto& link : links)
    {
        none.Uninstall(link);
    }
    none.Uninstall(middle.Get(1));
    std::vector<Ptr<PacketSink>> sinks;
    for (uint32_t i = 0; i < n; ++i)
    {
        const InetSocketAddress to(interfaces[2 * i + 1].GetAddress(1), 5000);
        BulkSendHelper source("ns3::TcpSocketFactory", to);
        source.SetAttribute("SendSize", UintegerValue(static_cast<uint32_t>(Number("payload"))));
        source.Install(senders.Get(i)).Start(Seconds(starts[i]));
        PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 5000));
        sinks.push_back(DynamicCast<PacketSink>(sink.Install(receivers.Get(i)).Get(0)));
    }
    Simulator::Stop(Seconds(Number("duration")));
    Say("setup");
    Simulator::Run();
    Say("run");

    const auto& stats = disc->GetStats();
    const uint64_t arrivals = stats.nTotalReceivedPackets;
    const uint64_t drops = stats.nTotalDroppedPackets;
    const uint64_t departures = stats.nTotalDequeuedPackets;
    std::cout << "queue " << arrivals << ' ' << drops << ' ' << departures << std::endl << "bytes";
    for (const auto& sink : sinks)
    {
        std::cout << ' ' << sink->GetTotalRx();
    }
    std::cout << std::endl;
    Simulator::Destroy();
    return 0;
}
