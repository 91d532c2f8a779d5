// A device plugin for tests: it offers the GPUs of the stub driver as nvidia.com/gpu, as that of NVIDIA does, and tells a
// container which it has by NVIDIA_VISIBLE_DEVICES.
package main

import (
	"context"
	"errors"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	api "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

const (
	resource = "nvidia.com/gpu"
	visible  = "NVIDIA_VISIBLE_DEVICES"
	patience = 10 * time.Second
	pause    = time.Second
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: deviceplugin MACHINE-FILE")
	}
	stop, done := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer done()
	uuids, err := read(os.Args[1])
	for err == nil && stop.Err() == nil {
		err = serve(stop, uuids)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// The UUIDs of the GPUs of a stub driver.
func read(file string) ([]string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var uuids []string
	for _, line := range strings.Split(string(text), "\n") {
		if words := strings.Fields(line); len(words) > 1 && words[0] == "gpu" {
			uuids = append(uuids, words[1])
		}
	}
	if len(uuids) == 0 {
		return nil, errors.New(file + " names no GPU")
	}
	return uuids, nil
}

// One life of a kubelet: it removes all sockets when it starts, and hears of nobody but who registers with its new one.
func serve(stop context.Context, uuids []string) error {
	kubelet, err := os.Stat(api.KubeletSocket)
	if err != nil {
		return err
	}
	socket := filepath.Join(api.DevicePluginPath, "gpudra-test.sock")
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	api.RegisterDevicePluginServer(server, plugin{uuids})
	go server.Serve(listener) //nolint:errcheck // it ends with Stop
	defer server.Stop()
	if err := register(stop, filepath.Base(socket)); err != nil {
		return err
	}
	log.Printf("offers %d %s", len(uuids), resource)
	return replaced(stop, kubelet)
}

func register(stop context.Context, endpoint string) error {
	limited, done := context.WithTimeout(stop, patience)
	defer done()
	connection, err := grpc.DialContext(limited, "unix://"+api.KubeletSocket,
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithBlock())
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = api.NewRegistrationClient(connection).Register(limited,
		&api.RegisterRequest{Version: api.Version, Endpoint: endpoint, ResourceName: resource})
	return err
}

// Waits until the kubelet has another socket, or for the end.
func replaced(stop context.Context, known os.FileInfo) error {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-stop.Done():
			return nil
		case <-ticker.C:
			now, err := os.Stat(api.KubeletSocket)
			if err == nil && !(os.SameFile(known, now) && known.ModTime().Equal(now.ModTime())) {
				return nil
			}
		}
	}
}

type plugin struct{ uuids []string }

func (p plugin) GetDevicePluginOptions(context.Context, *api.Empty) (*api.DevicePluginOptions, error) {
	return &api.DevicePluginOptions{}, nil
}

// ListAndWatch says once what there is, and stays until the kubelet or the plugin ends.
func (p plugin) ListAndWatch(_ *api.Empty, stream api.DevicePlugin_ListAndWatchServer) error {
	list := &api.ListAndWatchResponse{}
	for _, uuid := range p.uuids {
		list.Devices = append(list.Devices, &api.Device{ID: uuid, Health: api.Healthy})
	}
	if err := stream.Send(list); err != nil {
		return err
	}
	<-stream.Context().Done()
	return nil
}

func (p plugin) Allocate(_ context.Context, request *api.AllocateRequest) (*api.AllocateResponse, error) {
	response := &api.AllocateResponse{}
	for _, container := range request.ContainerRequests {
		response.ContainerResponses = append(response.ContainerResponses,
			&api.ContainerAllocateResponse{Envs: map[string]string{visible: strings.Join(container.DevicesIDs, ",")}})
	}
	return response, nil
}

func (p plugin) GetPreferredAllocation(context.Context, *api.PreferredAllocationRequest) (*api.PreferredAllocationResponse, error) {
	return &api.PreferredAllocationResponse{}, nil
}

func (p plugin) PreStartContainer(context.Context, *api.PreStartContainerRequest) (*api.PreStartContainerResponse, error) {
	return &api.PreStartContainerResponse{}, nil
}
